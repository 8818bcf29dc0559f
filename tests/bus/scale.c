/* Streams of narrow elements, with scalars: what is added or negated, and whether the total is large. */
#include <stdint.h>

_Bool scale(const uint8_t x[9], int16_t y[9], _Bool negate, int16_t add) {
  int total = 0;
  for (int i = 0; i < 9; i++) {
    total += x[i];
    y[i] = negate ? -x[i] : x[i] + add;
  }
  return total > 1000;
}
