/* Matrix times vector in double precision. */
#include <stdio.h>

#define M 5
#define N 7

void matvec(const double a[M][N], const double x[N], double y[M]) {
  for (int i = 0; i < M; i++) {
    double sum = 0.0;
    for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
    y[i] = sum;
  }
}

int main(void) {
  double a[M][N], x[N], y[M];
  for (int j = 0; j < N; j++) {
    x[j] = 1.0 / (j + 1);
    for (int i = 0; i < M; i++) a[i][j] = i - 0.5 * j;
  }
  matvec(a, x, y);
  printf("%g %g\n", y[0], y[M - 1]);
  return 0;
}
