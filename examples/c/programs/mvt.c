/* x1 += A * y1, x2 += A^T * y2: initial values, two products, a checksum. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define N 28

uint32_t mvt(uint32_t scale) {
  uint32_t a[N][N], x1[N], x2[N], y1[N], y2[N];
  uint32_t sum = 0;
  for (int i = 0; i < N; i++) {
    x1[i] = divide(scale * (i % N), N);
    x2[i] = divide(scale * ((i + 1) % N), N);
    y1[i] = divide(scale * ((i + 3) % N), N);
    y2[i] = divide(scale * ((i + 4) % N), N);
    for (int j = 0; j < N; j++) a[i][j] = divide(scale * (i * j % N), N);
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x1[i] += a[i][j] * y1[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x2[i] += a[j][i] * y2[j];
  for (int i = 0; i < N; i++) sum = sum * 31 + (x1[i] ^ x2[i]);
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)mvt(900));
  return 0;
}
