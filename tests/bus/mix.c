/* Scalars and arrays of many widths, and an index that may lie outside its array. */
#include <stdint.h>

int64_t mix(int32_t a, uint8_t b, int64_t c, int16_t d, const int16_t x[10], int64_t y[6],
            float z[4]) {
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 6; i++) y[i] = x[i] * c + y[i] + a;
  for (int i = 0; i < 4; i++) z[i] = z[i] + 1.5f;
  return x[b] + c - d;
}
