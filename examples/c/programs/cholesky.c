/* Cholesky decomposition in fixed point (8 bits of fraction), with division and root in software. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define N 12

static int32_t divide_signed(int32_t dividend, int32_t divisor) {
  uint32_t quotient = divide(dividend < 0 ? -dividend : dividend, divisor < 0 ? -divisor : divisor);
  return (dividend < 0) != (divisor < 0) ? -quotient : quotient;
}

static uint32_t root(uint32_t square) {
  uint32_t found = 0;
  for (int bit = 15; bit >= 0; bit--) {
    uint32_t next = found | (uint32_t)1 << bit;
    if (next * next <= square) found = next;
  }
  return found;
}

int32_t cholesky(int32_t scale) {
  int32_t a[N][N];
  int32_t sum = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) a[i][j] = divide_signed(-256 * (j * scale), N) + 256;
    a[i][i] = 256 * 200 + divide_signed(256 * i, scale);
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      int32_t rest = a[i][j];
      for (int k = 0; k < j; k++) rest -= a[i][k] * a[j][k] >> 8;
      a[i][j] = divide_signed(rest * 256, a[j][j]);
    }
    int32_t rest = a[i][i];
    for (int k = 0; k < i; k++) rest -= a[i][k] * a[i][k] >> 8;
    a[i][i] = root((uint32_t)rest << 8);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) sum = sum * 31 + a[i][j];
  return sum;
}

int main(void) {
  printf("%d\n", (int)cholesky(3));
  return 0;
}
