/* Gauss-Seidel sweeps: every word is written before its neighbour is computed. */
#include <stdio.h>

#define N 6

void seidel_2d(int turns, int a[N][N]) {
  for (int t = 0; t < turns; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] + 4 * a[i][j]) / 8;
}

int main(void) {
  int a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = 1000 * i - 70 * j * j;
  seidel_2d(2, a);
  printf("%d\n", a[2][2]);
  return 0;
}
