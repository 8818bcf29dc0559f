/* Streams of 8, 16, 32 and 64 bits, and accesses without order. */
#include <stdint.h>

int32_t blend(int32_t n, const uint8_t a[1200], const int32_t b[1200], int16_t c[1200],
              int64_t d[40]) {
  int32_t sum = 0;
  for (int i = 0; i < n; i++) c[i] = (int16_t)(b[i] * 3);
  for (int i = 0; i < 40; i++) d[i] = d[i] * 3 + n;
  for (int i = 0; i < 600; i++) sum += a[i];
  for (int i = 0; i < n; i++) sum += (int32_t)d[(i * 7) & 31];
  return sum;
}
