/* Updates of a column by the products below a diagonal: 45 inner iterations. */
#include <stdio.h>

#define N 10

void triangular(const int x[N], int n, int a[N][N]) {
  for (int i = n - 1; i >= 0; i--)
    for (int k = i - 1; k >= 0; k--) a[k][n - 1] -= a[k][i] * x[i];
}

int main(void) {
  static int x[N], a[N][N];
  for (int i = 0; i < N; i++) {
    x[i] = i - 4;
    for (int j = 0; j < N; j++) a[i][j] = (i * 7 + j * 3) % 11 - 5;
  }
  triangular(x, N, a);
  for (int i = 0; i < N; i++) printf("%d ", a[i][N - 1]);
  return 0;
}
