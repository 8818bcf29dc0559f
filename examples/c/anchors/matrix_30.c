/* Product of two 30 x 30 matrices. */
#include <stdio.h>

#define N 30

void matrix_30(const int a[N][N], const int b[N][N], int c[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int sum = 0;
      for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

int main(void) {
  static int a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = (i * 7 + j) % 19 - 9;
      b[i][j] = (i + j * 5) % 23 - 11;
    }
  matrix_30(a, b, c);
  for (int i = 0; i < N; i++) printf("%d ", c[i][N - 1 - i]);
  return 0;
}
