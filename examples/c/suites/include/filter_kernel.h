/* The kernel stands in a header, as that of a template library. */
#ifndef FILTER_KERNEL_H
#define FILTER_KERNEL_H
#define TAPS 5
#define SAMPLES 24
static const short taps[TAPS] = {[1] = 3, [0] = -1, [TAPS - 1] = 2};

void filter_kernel(const short in[SAMPLES], short out[SAMPLES])
{
  short delay[TAPS];
  memset(delay, 0, sizeof delay);
samples:
  for (int n = 0; n < SAMPLES; n++) {
    int sum = 0;
    memmove(delay + 1, delay, (TAPS - 1) * sizeof(short));
    delay[0] = in[n];
  taps_loop:
    for (int k = 0; k < TAPS; k++) sum += taps[k] * delay[k];
    out[n] = (short)(sum >> 2);
  }
}
#endif
