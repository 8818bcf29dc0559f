/* Filter with feedback: each value waits for the two before it. */
#include <stdio.h>

#define N 24

void iir_biquad(const float x[N], float y[N]) {
  float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (int n = 0; n < N; n++) {
    float out = 0.2f * x[n] + 0.4f * x1 + 0.2f * x2 + 0.5f * y1 - 0.3f * y2;
    x2 = x1;
    x1 = x[n];
    y2 = y1;
    y1 = out;
    y[n] = out;
  }
}

int main(void) {
  float x[N], y[N];
  for (int n = 0; n < N; n++) x[n] = n == 0 ? 1.0f : n % 5 ? 0.0f : -2.0f;
  iir_biquad(x, y);
  printf("%g\n", y[N - 1]);
  return 0;
}
