/* Fletcher's checksum of 16 bits. */
#include <stdint.h>
#include <stdio.h>

uint16_t fletcher16(const uint8_t data[20], unsigned count) {
  uint16_t low = 0, high = 0;
  for (unsigned i = 0; i < count; i++) {
    low = (uint16_t)((low + data[i]) % 255);
    high = (uint16_t)((high + low) % 255);
  }
  return (uint16_t)(high << 8 | low);
}

int main(void) {
  uint8_t data[20] = "abcdefgh";
  printf("%x %x %x\n", fletcher16(data, 5), fletcher16(data, 8), fletcher16(data, 0));
  return fletcher16(data, 5) != 0xC8F0;
}
