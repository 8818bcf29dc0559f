/* General matrix product, 8 x 8. */
#include <stdio.h>

#define N 8

void gemm_8(int alpha, int beta, const int a[N][N], const int b[N][N], int c[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int sum = c[i][j] * beta;
      for (int k = 0; k < N; k++) sum += alpha * a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

int main(void) {
  int a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      b[i][j] = i - j;
      c[i][j] = i * j;
    }
  gemm_8(3, 2, a, b, c);
  for (int i = 0; i < N; i++) printf("%d ", c[i][i]);
  return 0;
}
