/* A kernel of three by three over an image, ends clamped. */
#include <stdint.h>
#include <stdio.h>

#define H 6
#define W 7

static const int8_t weight[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

static int clamped(int v, int top) { return v < 0 ? 0 : v > top ? top : v; }

void convolution_2d(const uint8_t in[H][W], uint8_t out[H][W]) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int sum = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
          sum += weight[i + 1][j + 1] * in[clamped(y + i, H - 1)][clamped(x + j, W - 1)];
      out[y][x] = (uint8_t)(sum >> 4);
    }
}

int main(void) {
  uint8_t in[H][W], out[H][W];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) in[y][x] = (uint8_t)(y * 40 ^ x * 23);
  convolution_2d(in, out);
  printf("%d %d\n", out[0][0], out[3][3]);
  return 0;
}
