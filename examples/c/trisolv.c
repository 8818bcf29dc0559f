/* Solution of a lower triangular system. */
#include <stdio.h>

#define N 8

void trisolv(const float l[N][N], const float b[N], float x[N]) {
  for (int i = 0; i < N; i++) {
    float sum = b[i];
    for (int j = 0; j < i; j++) sum -= l[i][j] * x[j];
    x[i] = sum / l[i][i];
  }
}

int main(void) {
  float l[N][N], b[N], x[N];
  for (int i = 0; i < N; i++) {
    b[i] = (float)(i + 1);
    for (int j = 0; j < N; j++) l[i][j] = j < i ? 0.5f : j == i ? 2.0f : 0.0f;
  }
  trisolv(l, b, x);
  printf("%g\n", x[N - 1]);
  return 0;
}
