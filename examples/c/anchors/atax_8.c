/* A transposed matrix times a matrix times a vector, 8 x 8. */
#include <stdio.h>

#define N 8

void atax_8(const int a[N][N], const int x[N], int y[N]) {
  int t[N];
  for (int i = 0; i < N; i++) y[i] = 0;
  for (int i = 0; i < N; i++) {
    int sum = 0;
    for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
    t[i] = sum;
  }
  for (int j = 0; j < N; j++) {
    int sum = 0;
    for (int i = 0; i < N; i++) sum += a[i][j] * t[i];
    y[j] = sum;
  }
}

int main(void) {
  int a[N][N], x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = i - 3;
    for (int j = 0; j < N; j++) a[i][j] = (i * 5 + j) % 9;
  }
  atax_8(a, x, y);
  for (int i = 0; i < N; i++) printf("%d ", y[i]);
  return 0;
}
