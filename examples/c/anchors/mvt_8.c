/* A vector through a matrix and one through its transpose, 8 x 8. */
#include <stdio.h>

#define N 8

void mvt_8(int x1[N], int x2[N], const int y1[N], const int y2[N], const int a[N][N]) {
  for (int i = 0; i < N; i++) {
    int sum = x1[i];
    for (int j = 0; j < N; j++) sum += a[i][j] * y1[j];
    x1[i] = sum;
  }
  for (int i = 0; i < N; i++) {
    int sum = x2[i];
    for (int j = 0; j < N; j++) sum += a[j][i] * y2[j];
    x2[i] = sum;
  }
}

int main(void) {
  int a[N][N], x1[N], x2[N], y1[N], y2[N];
  for (int i = 0; i < N; i++) {
    x1[i] = i;
    x2[i] = -i;
    y1[i] = i % 3;
    y2[i] = i % 4;
    for (int j = 0; j < N; j++) a[i][j] = (i + 3 * j) % 10;
  }
  mvt_8(x1, x2, y1, y2, a);
  for (int i = 0; i < N; i++) printf("%d %d ", x1[i], x2[i]);
  return 0;
}
