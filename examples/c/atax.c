/* y = transposed A times A times x. */
#include <stdio.h>

#define M 4
#define N 5

void atax(const float a[M][N], const float x[N], float y[N]) {
  for (int j = 0; j < N; j++) y[j] = 0.0f;
  for (int i = 0; i < M; i++) {
    float t = 0.0f;
    for (int j = 0; j < N; j++) t += a[i][j] * x[j];
    for (int j = 0; j < N; j++) y[j] += a[i][j] * t;
  }
}

int main(void) {
  float a[M][N], x[N], y[N];
  for (int j = 0; j < N; j++) {
    x[j] = 1.0f + 0.25f * (float)j;
    for (int i = 0; i < M; i++) a[i][j] = (float)((i + j) % 3) / 4.0f;
  }
  atax(a, x, y);
  printf("%g %g\n", y[0], y[N - 1]);
  return 0;
}
