/* LU decomposition without pivoting. */
#include <stdio.h>

#define N 5

void lu(double a[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = k + 1; i < N; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < N; j++) a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(void) {
  double a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = i == j ? 10.0 : 1.0 / (i + j + 1);
  lu(a);
  printf("%g\n", a[N - 1][N - 1]);
  return 0;
}
