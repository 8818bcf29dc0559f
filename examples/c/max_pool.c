/* The largest of each two by two words. */
#include <stdio.h>

#define N 8

void max_pool(const float in[N][N], float out[N / 2][N / 2]) {
  for (int y = 0; y < N; y += 2)
    for (int x = 0; x < N; x += 2) {
      float best = in[y][x];
      for (int k = 1; k < 4; k++) {
        float v = in[y + k / 2][x + k % 2];
        if (v > best) best = v;
      }
      out[y / 2][x / 2] = best;
    }
}

int main(void) {
  float in[N][N], out[N / 2][N / 2];
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) in[y][x] = (float)((y * 13 + x * 29) % 17) - 8.0f;
  max_pool(in, out);
  printf("%g\n", out[1][2]);
  return 0;
}
