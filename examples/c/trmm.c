/* Triangular matrix times matrix, in place. */
#include <stdio.h>

#define N 5

void trmm(int alpha, const int a[N][N], int b[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < N; k++) b[i][j] += a[k][i] * b[k][j];
      b[i][j] = alpha * b[i][j];
    }
}

int main(void) {
  int a[N][N], b[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i >= j ? i + j + 1 : 0;
      b[i][j] = N + i - j;
    }
  trmm(3, a, b);
  printf("%d %d\n", b[0][0], b[N - 1][N - 1]);
  return 0;
}
