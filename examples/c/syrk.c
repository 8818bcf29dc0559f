/* C = beta C + alpha A transposed A, the lower half. */
#include <stdio.h>

#define N 5
#define M 4

void syrk(int alpha, int beta, int c[N][N], const int a[N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) c[i][j] *= beta;
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++) c[i][j] += alpha * a[i][k] * a[j][k];
  }
}

int main(void) {
  int c[N][N], a[N][M];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) c[i][j] = i - j;
    for (int k = 0; k < M; k++) a[i][k] = i * k % 5;
  }
  syrk(2, -1, c, a);
  printf("%d\n", c[N - 1][N - 1]);
  return 0;
}
