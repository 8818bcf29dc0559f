/* CRC-32 of IEEE 802.3, a bit at a time. */
#include <stdint.h>
#include <stdio.h>

uint32_t crc32(const uint8_t data[16], int length) {
  uint32_t crc = ~0u;
  for (int i = 0; i < length; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
  }
  return ~crc;
}

int main(void) {
  uint8_t check[16] = "123456789", none[16] = {0};
  printf("%x %x %x\n", crc32(check, 9), crc32(none, 16), crc32(check, 0));
  return crc32(check, 9) != 0xCBF43926u;
}
