/* C = alpha * A * B + beta * C with A symmetric: initial values, the product, a checksum. */
#include <stdint.h>
#include <stdio.h>

#define M 16
#define N 20

static uint32_t remainder_of(uint32_t dividend, uint32_t divisor) {
  uint32_t rest = 0;
  for (int bit = 31; bit >= 0; bit--) {
    rest = rest << 1 | (dividend >> bit & 1);
    if (rest >= divisor) rest -= divisor;
  }
  return rest;
}

uint32_t symm(uint32_t alpha, uint32_t beta) {
  uint32_t a[M][M], b[M][N], c[M][N];
  uint32_t sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      c[i][j] = remainder_of(i + j, 100);
      b[i][j] = remainder_of(N + i - j, 100);
    }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) a[i][j] = j <= i ? remainder_of(i + j, 97) : 999;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      uint32_t above = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += alpha * b[i][j] * a[i][k];
        above += b[k][j] * a[i][k];
      }
      c[i][j] = beta * c[i][j] + alpha * b[i][j] * a[i][i] + alpha * above;
    }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) sum = remainder_of(sum * 31 + c[i][j], 65521);
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)symm(3, 2));
  return 0;
}
