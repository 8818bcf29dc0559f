/* Two weighted matrix-vector products, added, 8 x 8. */
#include <stdio.h>

#define N 8

void gesummv_8(int alpha, int beta, const int a[N][N], const int b[N][N], const int x[N], int y[N]) {
  for (int i = 0; i < N; i++) {
    int s = 0, t = 0;
    for (int j = 0; j < N; j++) {
      s += a[i][j] * x[j];
      t += b[i][j] * x[j];
    }
    y[i] = alpha * s + beta * t;
  }
}

int main(void) {
  int a[N][N], b[N][N], x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i + 1;
    for (int j = 0; j < N; j++) {
      a[i][j] = i - j;
      b[i][j] = i * j % 5;
    }
  }
  gesummv_8(2, 3, a, b, x, y);
  for (int i = 0; i < N; i++) printf("%d ", y[i]);
  return 0;
}
