/* The best match of a block in a line of pixels, with the pragmas of other tools. */
#include <stdint.h>
#include <stdio.h>

#define WIDTH 40
#define BLOCK 8

int sad_pragmas(const uint8_t line[WIDTH], const uint8_t block[BLOCK], uint16_t sums[WIDTH - BLOCK]) {
  int best = 0;
  for (int at = 0; at < WIDTH - BLOCK; at++) {
#pragma HLS pipeline II=8
    uint16_t sum = 0;
#pragma GCC unroll 8
    for (int i = 0; i < BLOCK; i++) {
      int apart = line[at + i] - block[i];
      sum = (uint16_t)(sum + (apart < 0 ? -apart : apart));
    }
    sums[at] = sum;
  }
#pragma unroll 2
  for (int at = 1; at < WIDTH - BLOCK; at++)
    if (sums[at] < sums[best]) best = at;
  return best;
}

int main(void) {
  uint8_t line[WIDTH], block[BLOCK];
  uint16_t sums[WIDTH - BLOCK];
  for (int i = 0; i < WIDTH; i++) line[i] = (uint8_t)(i * i * 37 + 11);
  for (int i = 0; i < BLOCK; i++) block[i] = (uint8_t)(line[i + 19] + (i & 1));
  int first = sad_pragmas(line, block, sums);
  for (int i = 0; i < BLOCK; i++) block[i] = line[i];
  int second = sad_pragmas(line, block, sums);
  printf("%d %d %d\n", first, second, sums[3]);
  return 0;
}
