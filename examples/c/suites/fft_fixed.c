/* A radix-2 FFT of 16 points in fixed point: structs of two halves, stages by macros. */
#include <stdint.h>
#include "check.h"

#define POINTS 16
#define STAGES 4
#define SCALE(x) ((int16_t)((x) >> 14))

typedef struct { int16_t re, im; } sample;

static const sample turn[POINTS / 2] = {
  {16384, 0}, {15137, -6270}, {11585, -11585}, {6270, -15137},
  {0, -16384}, {-6270, -15137}, {-11585, -11585}, {-15137, -6270}
};

static sample times(sample a, sample b)
{
  sample r;
  r.re = SCALE((int32_t)a.re * b.re - (int32_t)a.im * b.im);
  r.im = SCALE((int32_t)a.re * b.im + (int32_t)a.im * b.re);
  return r;
}

static unsigned reversed(unsigned index)
{
  unsigned found = 0;
  for (int bit = 0; bit < STAGES; bit++, index >>= 1) found = found << 1 | (index & 1);
  return found;
}

void fft_fixed(sample x[POINTS])
{
reorder:
  for (unsigned i = 0; i < POINTS; i++) {
    unsigned j = reversed(i);
    if (j <= i) continue;
    sample t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
stages:
  for (int half = 1, step = POINTS / 2; half < POINTS; half *= 2, step /= 2) {
    for (int first = 0; first < POINTS; first += 2 * half)
      for (int k = 0; k < half; k++) {
        sample *low = &x[first + k], *high = low + half;
        sample t = times(*high, turn[k * step]), kept = *low;
        *low = (sample){(int16_t)((kept.re + t.re) / 2), (int16_t)((kept.im + t.im) / 2)};
        *high = (sample){(int16_t)((kept.re - t.re) / 2), (int16_t)((kept.im - t.im) / 2)};
      }
  }
}

int main(void)
{
  sample x[POINTS];
  for (int i = 0; i < POINTS; i++) x[i] = (sample){(int16_t)(i % 4 == 0 ? 8000 : -3000), (int16_t)(i * 100)};
  fft_fixed(x);
  return x[4].re == 0;
}
