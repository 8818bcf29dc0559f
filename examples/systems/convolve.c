/* A 3x3 convolution of a stream of pixels. Two lines are kept, and a window of nine pixels slides
 * over them: the result of a pixel comes with the pixel below and to the right of it, so the first
 * two lines and columns of the output, which have no whole window, are 0. */
#include <stdint.h>

#define HEIGHT 12
#define WIDTH 16

void convolve(const uint8_t in[HEIGHT][WIDTH], uint8_t out[HEIGHT][WIDTH]) {
  uint8_t above[WIDTH] = {0}, top[WIDTH] = {0};
  for (int y = 0; y < HEIGHT; y++) {
    uint8_t a0 = 0, a1 = 0, b0 = 0, b1 = 0, c0 = 0, c1 = 0;
    for (int x = 0; x < WIDTH; x++) {
      uint8_t a2 = top[x], b2 = above[x], c2 = in[y][x];
      int sum = a0 + 2 * a1 + a2 + 2 * b0 + 4 * b1 + 2 * b2 + c0 + 2 * c1 + c2;
      out[y][x] = y < 2 || x < 2 ? 0 : sum >> 4;
      top[x] = b2;
      above[x] = c2;
      a0 = a1, a1 = a2, b0 = b1, b1 = b2, c0 = c1, c1 = c2;
    }
  }
}
