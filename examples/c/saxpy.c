/* y = a * x + y in single precision. */
#include <stdio.h>

#define N 20

void saxpy(float a, const float x[N], float y[N]) {
  for (int i = 0; i < N; i++) y[i] += a * x[i];
}

int main(void) {
  float x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = 0.1f * (float)i;
    y[i] = 1.0f / (float)(i + 1);
  }
  saxpy(2.5f, x, y);
  saxpy(-1e30f, y, x);
  printf("%g %g\n", y[3], x[4]);
  return 0;
}
