/* Adler's checksum, remainders taken once for a block. */
#include <stdint.h>
#include <stdio.h>

uint32_t adler32(const uint8_t data[24], int n) {
  uint32_t a = 1, b = 0;
  const uint8_t *p = data, *end = data + n;
  while (p != end) {
    a += *p++;
    b += a;
  }
  return b % 65521 << 16 | a % 65521;
}

int main(void) {
  uint8_t data[24] = "Wikipedia";
  printf("%x %x\n", (unsigned)adler32(data, 9), (unsigned)adler32(data, 0));
  return adler32(data, 9) != 0x11E60398u;
}
