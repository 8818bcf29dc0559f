/* Jacobi steps on a grid of one dimension and back; the mean of three divides in software. */
#include <stdint.h>
#include <stdio.h>

#include "divide.h"

#define STEPS 6
#define N 40

uint32_t jacobi(uint32_t scale) {
  uint32_t a[N], b[N];
  uint32_t sum = 0;
  for (int i = 0; i < N; i++) {
    a[i] = divide(scale * (i + 2), N);
    b[i] = divide(scale * (i + 3), N);
  }
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < N - 1; i++) b[i] = divide(a[i - 1] + a[i] + a[i + 1], 3);
    for (int i = 1; i < N - 1; i++) a[i] = divide(b[i - 1] + b[i] + b[i + 1], 3);
  }
  for (int i = 0; i < N; i++) sum = sum * 31 + a[i];
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)jacobi(100000));
  return 0;
}
