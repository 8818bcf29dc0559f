/* Jacobi iterations in one dimension, in two arrays by turns. */
#include <stdio.h>

#define N 16

void jacobi_1d(int turns, float a[N], float b[N]) {
  for (int t = 0; t < turns; t++) {
    for (int i = 1; i < N - 1; i++) b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < N - 1; i++) a[i] = 0.33333f * (b[i - 1] + b[i] + b[i + 1]);
  }
}

int main(void) {
  float a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = b[i] = (float)(i * i) / N;
  jacobi_1d(0, a, b);
  jacobi_1d(3, a, b);
  printf("%g\n", a[N / 2]);
  return 0;
}
