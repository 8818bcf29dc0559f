/* C = alpha * A * B + beta * C, in integers. */
#include <stdio.h>

#define N 6

void gemm(int alpha, int beta, const int a[N][N], const int b[N][N], int c[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int sum = 0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = alpha * sum + beta * c[i][j];
    }
}

int main(void) {
  int a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i - 2 * j;
      b[i][j] = i * j + 1;
      c[i][j] = 100 * i + j;
    }
  gemm(1, 0, a, b, c);
  gemm(3, -2, b, a, c);
  printf("%d %d\n", c[0][0], c[N - 1][N - 1]);
  return 0;
}
