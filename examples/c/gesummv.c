/* y = alpha A x + beta B x. */
#include <stdio.h>

#define N 5

void gesummv(double alpha, double beta, const double a[N][N], const double b[N][N],
             const double x[N], double y[N]) {
  for (int i = 0; i < N; i++) {
    double sum_a = 0.0, sum_b = 0.0;
    for (int j = 0; j < N; j++) {
      sum_a = a[i][j] * x[j] + sum_a;
      sum_b = b[i][j] * x[j] + sum_b;
    }
    y[i] = alpha * sum_a + beta * sum_b;
  }
}

int main(void) {
  double a[N][N], b[N][N], x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = (i % 3) * 0.5;
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * j + 1) / 5.0;
      b[i][j] = (i * j + 2) / 5.0;
    }
  }
  gesummv(1.5, -1.2, a, b, x, y);
  printf("%g\n", y[N - 1]);
  return 0;
}
