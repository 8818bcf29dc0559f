/* s = A^T * r and q = A * p in one nest: initial values, the nest, a checksum. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define M 24
#define N 28

uint32_t bicg(uint32_t scale) {
  uint32_t a[N][M], s[M], q[N], p[M], r[N];
  uint32_t sum = 0;
  for (int j = 0; j < M; j++) p[j] = divide(scale * (j % M), M);
  for (int i = 0; i < N; i++) {
    r[i] = divide(scale * (i % N), N);
    for (int j = 0; j < M; j++) a[i][j] = divide(scale * (i * (j + 1) % N), N);
  }
  for (int j = 0; j < M; j++) s[j] = 0;
  for (int i = 0; i < N; i++) {
    q[i] = 0;
    for (int j = 0; j < M; j++) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
  for (int j = 0; j < M; j++) sum = sum * 31 + divide(s[j], scale);
  for (int i = 0; i < N; i++) sum = sum * 31 + divide(q[i], scale);
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)bicg(900));
  return 0;
}
