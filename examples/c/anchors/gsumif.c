/* One of two polynomials by a condition, summed up. */
#include <stdio.h>

#define N 1000

float gsumif(const float a[N]) {
  float s = 0.0f;
  for (int i = 0; i < N; i++) {
    float d = a[i];
    if (d >= 0.0f) {
      float p = ((d + 0.64f) * d + 0.7f) * d + 0.21f;
      s += p > 1.0f ? (p + 0.7f) * d : (p + 0.33f) * d;
    }
  }
  return s;
}

int main(void) {
  static float a[N];  /* one value in six is not negative */
  for (int i = 0; i < N; i++) a[i] = (float)(i * 5 % 32 - 27) * 0.0625f;
  printf("%g\n", (double)gsumif(a));
  return 0;
}
