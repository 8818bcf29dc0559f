/* Median of nine neighbours, by sorting them. */
#include <stdint.h>
#include <stdio.h>

#define N 6

static uint8_t middle(uint8_t v[9]) {
  for (int i = 0; i <= 4; i++)
    for (int j = i + 1; j < 9; j++)
      if (v[j] < v[i]) {
        uint8_t t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  return v[4];
}

void median_3x3(const uint8_t in[N][N], uint8_t out[N][N]) {
  uint8_t near[9];
  for (int y = 1; y < N - 1; y++)
    for (int x = 1; x < N - 1; x++) {
      int k = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) near[k++] = in[y + i][x + j];
      out[y][x] = middle(near);
    }
}

int main(void) {
  uint8_t in[N][N], out[N][N] = {{0}};
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) in[y][x] = (uint8_t)(x * 31 ^ y * 57);
  median_3x3(in, out);
  printf("%d\n", out[2][3]);
  return 0;
}
