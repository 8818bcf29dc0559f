/* LU decomposition in fixed point (8 bits of fraction), with division in software. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define N 12

static int32_t divide_signed(int32_t dividend, int32_t divisor) {
  uint32_t quotient = divide(dividend < 0 ? -dividend : dividend, divisor < 0 ? -divisor : divisor);
  return (dividend < 0) != (divisor < 0) ? -quotient : quotient;
}

int32_t lu(int32_t scale) {
  int32_t a[N][N];
  int32_t sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = divide_signed(256 * (i - j) * scale, N);
  for (int i = 0; i < N; i++) a[i][i] += 256 * 100;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      int32_t rest = a[i][j];
      for (int k = 0; k < j; k++) rest -= a[i][k] * a[k][j] >> 8;
      a[i][j] = divide_signed(rest * 256, a[j][j]);
    }
    for (int j = i; j < N; j++) {
      int32_t rest = a[i][j];
      for (int k = 0; k < i; k++) rest -= a[i][k] * a[k][j] >> 8;
      a[i][j] = rest;
    }
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum = sum * 31 + divide_signed(a[i][j], scale);
  return sum;
}

int main(void) {
  printf("%d\n", (int)lu(3));
  return 0;
}
