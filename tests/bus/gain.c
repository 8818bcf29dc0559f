/* A stream in, a stream out, gains that software writes, and a level it reads. */
#include <stdint.h>

int32_t gain(const int16_t x[12], int32_t y[12], const int16_t gains[4], int16_t offset) {
  int32_t level = 0;
  for (int i = 0; i < 12; i++) {
    int32_t scaled = x[i] * gains[i % 4] + offset;
    y[i] = scaled;
    level += scaled;
  }
  return level;
}
