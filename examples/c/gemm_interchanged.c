/* A product of matrices of floats, whose sums do not wait for the adder: column by column. */
#include <stdio.h>

#define N 6

void gemm_interchanged(const float a[N][N], const float b[N][N], float c[N][N]) {
#pragma loom flatten
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) c[i][j] = 0.0f;
  for (int i = 0; i < N; i++)
#pragma loom interchange
#pragma loom ii(1)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
}

int main(void) {
  float a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (float)(i * 3 - j) / 8.0f;
      b[i][j] = (float)(j * j - i) / 3.0f;
    }
  gemm_interchanged(a, b, c);
  gemm_interchanged(b, c, a);
  printf("%g %g\n", (double)c[2][3], (double)a[5][1]);
  return 0;
}
