/* Forward substitution with a lower triangle that has ones on its diagonal. */
#include <stdio.h>

#define N 8

void trisolv_8(const int l[N][N], int x[N], const int b[N]) {
  for (int i = 0; i < N; i++) {
    int sum = b[i];
    for (int j = 0; j < i; j++) sum -= l[i][j] * x[j];
    x[i] = sum;
  }
}

int main(void) {
  int l[N][N], x[N], b[N];
  for (int i = 0; i < N; i++) {
    b[i] = 5 * i + 1;
    x[i] = 0;
    for (int j = 0; j < N; j++) l[i][j] = (i + j) % 3;
  }
  trisolv_8(l, x, b);
  for (int i = 0; i < N; i++) printf("%d ", x[i]);
  return 0;
}
