/* Elimination below the diagonal of a 20 x 20 matrix, integers, without pivots. */
#include <stdio.h>

#define N 20

int gaussian(const int c[N], int a[N][N]) {
  int sum = 0;
  for (int j = 1; j <= N - 3; j++)
    for (int i = j + 1; i <= N - 2; i++)
      for (int k = 1; k <= N - 1; k++) {
        a[i][k] = a[i][k] - c[j] * a[j][k];
        sum += i + k;
      }
  return sum;
}

int main(void) {
  static int c[N], a[N][N];
  for (int i = 0; i < N; i++) {
    c[i] = i % 3 - 1;
    for (int j = 0; j < N; j++) a[i][j] = (i * 13 + j * 7) % 17 - 8;
  }
  printf("%d %d\n", gaussian(c, a), a[N - 2][N - 1]);
  return 0;
}
