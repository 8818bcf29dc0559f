/* Edges of an image, after Sobel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define H 8
#define W 8

void sobel(const uint8_t in[H][W], uint8_t out[H][W]) {
  static const int8_t across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int gx = 0, gy = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          gx += across[i][j] * in[y + i - 1][x + j - 1];
          gy += across[j][i] * in[y + i - 1][x + j - 1];
        }
      int sum = abs(gx) + abs(gy);
      out[y][x] = sum > 255 ? 255 : (uint8_t)sum;
    }
}

int main(void) {
  uint8_t in[H][W], out[H][W] = {{0}};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) in[y][x] = (uint8_t)(x > y ? 200 : 10 * x);
  sobel(in, out);
  printf("%d %d\n", out[3][3], out[6][1]);
  return 0;
}
