/* x1 += A y1 and x2 += transposed A y2. */
#include <stdio.h>

#define N 6

void mvt(int x1[N], int x2[N], const int y1[N], const int y2[N], const int a[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x1[i] += a[i][j] * y1[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x2[i] += a[j][i] * y2[j];
}

int main(void) {
  int x1[N], x2[N], y1[N], y2[N], a[N][N];
  for (int i = 0; i < N; i++) {
    x1[i] = i;
    x2[i] = -i;
    y1[i] = 2 * i - 3;
    y2[i] = i * i;
    for (int j = 0; j < N; j++) a[i][j] = (i * 7 + j * 3) % 11;
  }
  mvt(x1, x2, y1, y2, a);
  printf("%d %d\n", x1[2], x2[3]);
  return 0;
}
