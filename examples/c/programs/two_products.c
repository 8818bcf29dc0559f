/* D = A * B, E = C * D: two products in a chain; the initial values use a divider in software. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define N 16
#define M 18
#define K 20

uint32_t two_products(uint32_t scale) {
  uint32_t a[N][K], b[K][M], c[N][N], d[N][M], e[N][M];
  uint32_t sum = 0;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < K; k++) a[i][k] = divide(scale * (i * k + 1), K);
  for (int k = 0; k < K; k++)
    for (int j = 0; j < M; j++) b[k][j] = divide(scale * k * (j + 1), M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) c[i][j] = divide(scale * (i + 3 * j), N + 1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      uint32_t product = 0;
      for (int k = 0; k < K; k++) product += a[i][k] * b[k][j];
      d[i][j] = divide(product, scale);
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      uint32_t product = 0;
      for (int k = 0; k < N; k++) product += c[i][k] * d[k][j];
      e[i][j] = divide(product, scale);
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum = sum * 31 + e[i][j];
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)two_products(1000));
  return 0;
}
