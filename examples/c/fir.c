/* Finite impulse response filter with a table of coefficients. */
#include <stdint.h>
#include <stdio.h>

#define TAPS 8
#define LENGTH 40

static const int16_t taps[TAPS] = {-3, 12, 45, 90, 90, 45, 12, -3};

void fir(const int16_t x[LENGTH], int32_t y[LENGTH - TAPS + 1]) {
  for (int n = 0; n <= LENGTH - TAPS; n++) {
    int32_t sum = 0;
    for (int t = 0; t < TAPS; t++) sum += taps[t] * x[n + t];
    y[n] = sum >> 8;
  }
}

int main(void) {
  int16_t x[LENGTH];
  int32_t y[LENGTH - TAPS + 1];
  for (int n = 0; n < LENGTH; n++) x[n] = (int16_t)((n * 7919) % 2001 - 1000);
  fir(x, y);
  for (int n = 0; n < LENGTH; n++) x[n] = n == 20 ? 256 : 0;
  fir(x, y);
  for (int n = 0; n <= LENGTH - TAPS; n++) printf("%d ", (int)y[n]);
  return 0;
}
