/* A rank two update, then two products. */
#include <stdio.h>

#define N 4

void gemver(float alpha, float a[N][N], const float u[2][N], const float v[2][N],
            const float y[N], float x[N], float w[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = a[i][j] + u[0][i] * v[0][j] + u[1][i] * v[1][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) x[i] = x[i] + alpha * a[j][i] * y[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) w[i] = w[i] + a[i][j] * x[j];
}

int main(void) {
  float a[N][N], u[2][N], v[2][N], x[N] = {0}, y[N], w[N] = {0};
  for (int i = 0; i < N; i++) {
    u[0][i] = (float)i;
    u[1][i] = (float)(i + 1) / 8.0f;
    v[0][i] = (float)(i + 1) / 4.0f;
    v[1][i] = (float)(i + 1) / 6.0f;
    y[i] = (float)(i + 1) / 9.0f;
    for (int j = 0; j < N; j++) a[i][j] = (float)(i * j % N) / N;
  }
  gemver(1.5f, a, u, v, y, x, w);
  printf("%g\n", w[N - 1]);
  return 0;
}
