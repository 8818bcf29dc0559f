/* Waves in one dimension: two fields that follow each other. */
#include <stdio.h>

#define N 16

void fdtd_1d(int turns, float e[N], float h[N]) {
  for (int t = 0; t < turns; t++) {
    for (int i = 1; i < N; i++) e[i] = e[i] - 0.5f * (h[i] - h[i - 1]);
    for (int i = 0; i < N - 1; i++) h[i] = h[i] - 0.7f * (e[i + 1] - e[i]);
    e[0] = (float)t;
  }
}

int main(void) {
  float e[N], h[N];
  for (int i = 0; i < N; i++) {
    e[i] = (float)i / N;
    h[i] = (float)(N - i) / N;
  }
  fdtd_1d(3, e, h);
  printf("%g %g\n", e[5], h[5]);
  return 0;
}
