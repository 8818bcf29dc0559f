/* Whole square root, a bit at a time. */
#include <stdint.h>
#include <stdio.h>

uint16_t isqrt(uint32_t n) {
  uint32_t root = 0, bit = 1u << 30;
  while (bit > n) bit >>= 2;
  while (bit) {
    if (n >= root + bit) {
      n -= root + bit;
      root = (root >> 1) + bit;
    } else
      root >>= 1;
    bit >>= 2;
  }
  return (uint16_t)root;
}

int main(void) {
  printf("%d %d %d %d\n", isqrt(0), isqrt(99), isqrt(100), isqrt(4294967295u));
  return 0;
}
