/* Power modulo a number, by squares. */
#include <stdint.h>
#include <stdio.h>

uint32_t modpow(uint32_t base, uint32_t exponent, uint32_t modulus) {
  uint64_t result = 1, square = base % modulus;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = result * square % modulus;
    square = square * square % modulus;
  }
  return (uint32_t)result;
}

int main(void) {
  printf("%u %u %u\n", modpow(3, 200, 1000007), modpow(2, 0, 5), modpow(123456789, 65537, 4294967291u));
  return 0;
}
