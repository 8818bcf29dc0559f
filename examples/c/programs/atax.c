/* y = A^T * (A * x): initial values, two products, a checksum. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define M 28
#define N 32

uint32_t atax(uint32_t scale) {
  uint32_t a[M][N], x[N], y[N], tmp[M];
  uint32_t sum = 0;
  for (int j = 0; j < N; j++) x[j] = scale + divide(scale * j, N);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) a[i][j] = divide(scale * (i + j), 5 * M);
  for (int j = 0; j < N; j++) y[j] = 0;
  for (int i = 0; i < M; i++) {
    tmp[i] = 0;
    for (int j = 0; j < N; j++) tmp[i] += a[i][j] * x[j];
    for (int j = 0; j < N; j++) y[j] += a[i][j] * tmp[i];
  }
  for (int j = 0; j < N; j++) sum = sum * 31 + divide(y[j], j + 1);
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)atax(700));
  return 0;
}
