/* C = alpha * A * B + beta * C with scaled initial values: six calls of a divider in software. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define NI 20
#define NJ 25
#define NK 30

uint32_t gemm(uint32_t alpha, uint32_t beta) {
  uint32_t a[NI][NK], b[NK][NJ], c[NI][NJ];
  uint32_t sum = 0;
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) c[i][j] = divide(1000 * (i * j + 1), NI) + divide(i, j + 1);
  for (int i = 0; i < NI; i++)
    for (int k = 0; k < NK; k++) a[i][k] = divide(1000 * i * (k + 1), NK) + divide(k, i + 1);
  for (int k = 0; k < NK; k++)
    for (int j = 0; j < NJ; j++) b[k][j] = divide(1000 * k * (j + 2), NJ) + divide(j, k + 1);
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) c[i][j] *= beta;
    for (int k = 0; k < NK; k++)
      for (int j = 0; j < NJ; j++) c[i][j] += alpha * a[i][k] * b[k][j];
  }
  for (int i = 0; i < NI; i++)
    for (int j = 0; j < NJ; j++) sum = sum * 31 + c[i][j];
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)gemm(3, 2));
  return 0;
}
