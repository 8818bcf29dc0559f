/* Heat in three dimensions, one step there and one back. */
#include <stdio.h>

#define N 5

void heat_3d(int a[N][N][N], int b[N][N][N]) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 1; k < N - 1; k++)
        b[i][j][k] = (a[i + 1][j][k] - 2 * a[i][j][k] + a[i - 1][j][k]) / 8 +
                     (a[i][j + 1][k] - 2 * a[i][j][k] + a[i][j - 1][k]) / 8 +
                     (a[i][j][k + 1] - 2 * a[i][j][k] + a[i][j][k - 1]) / 8 + a[i][j][k];
}

int main(void) {
  int a[N][N][N], b[N][N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) a[i][j][k] = b[i][j][k] = (i + j + N - k) * 100 / N;
  heat_3d(a, b);
  heat_3d(b, a);
  printf("%d\n", a[2][2][2]);
  return 0;
}
