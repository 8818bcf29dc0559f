/* Cholesky decomposition of a symmetric matrix, lower half. */
#include <math.h>
#include <stdio.h>

#define N 4

void cholesky(float a[N][N]) {
  for (int j = 0; j < N; j++) {
    float sum = a[j][j];
    for (int k = 0; k < j; k++) sum -= a[j][k] * a[j][k];
    a[j][j] = sqrtf(sum);
    for (int i = j + 1; i < N; i++) {
      float rest = a[i][j];
      for (int k = 0; k < j; k++) rest -= a[i][k] * a[j][k];
      a[i][j] = rest / a[j][j];
    }
  }
}

int main(void) {
  float a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = i == j ? 4.0f + (float)i : 1.0f;
  cholesky(a);
  printf("%g\n", a[N - 1][N - 1]);
  return 0;
}
