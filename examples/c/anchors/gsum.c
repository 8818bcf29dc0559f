/* The sum of a polynomial of what is not negative. */
#include <stdio.h>

#define N 1000

float gsum(const float a[N]) {
  float s = 0.0f;
  for (int i = 0; i < N; i++) {
    float d = a[i];
    if (d >= 0.0f) s += (((((d + 0.64f) * d + 0.7f) * d + 0.21f) * d) + 0.33f) * d;
  }
  return s;
}

int main(void) {
  static float a[N];  /* one value in six is not negative */
  for (int i = 0; i < N; i++) a[i] = (float)(i * 7 % 24 - 20) * 0.125f;
  printf("%g\n", (double)gsum(a));
  return 0;
}
