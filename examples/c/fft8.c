/* Fast Fourier transform of eight complex numbers, radix 2. */
#include <stdio.h>

#define N 8

static const float cosine[4] = {1.0f, 0.70710678f, 0.0f, -0.70710678f};
static const float sine[4] = {0.0f, -0.70710678f, -1.0f, -0.70710678f};

void fft8(float re[N], float im[N]) {
  for (int i = 1, j = 4; i < N - 1; i++) {
    if (i < j) {
      float t = re[i];
      re[i] = re[j];
      re[j] = t;
      t = im[i];
      im[i] = im[j];
      im[j] = t;
    }
    int bit = N / 2;
    while (j & bit) {
      j ^= bit;
      bit >>= 1;
    }
    j |= bit;
  }
  for (int half = 1; half < N; half *= 2)
    for (int start = 0; start < N; start += 2 * half)
      for (int k = 0; k < half; k++) {
        float c = cosine[k * (4 / half)], s = sine[k * (4 / half)];
        int a = start + k, b = a + half;
        float tr = re[b] * c - im[b] * s, ti = re[b] * s + im[b] * c;
        re[b] = re[a] - tr;
        im[b] = im[a] - ti;
        re[a] += tr;
        im[a] += ti;
      }
}

int main(void) {
  float re[N], im[N];
  for (int n = 0; n < N; n++) {
    re[n] = (float)(n % 3);
    im[n] = (float)(n & 1);
  }
  fft8(re, im);
  printf("%g %g\n", re[1], im[1]);
  return 0;
}
