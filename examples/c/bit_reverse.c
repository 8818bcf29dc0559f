/* Bytes with their bits the other way round, by a switch of tables. */
#include <stdint.h>
#include <stdio.h>

static const uint8_t nibble[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

void bit_reverse(uint8_t a[16]) {
  uint8_t *p = a;
  while (p < a + 16) {
    *p = (uint8_t)(nibble[*p & 15] << 4 | nibble[*p >> 4]);
    p++;
  }
}

int main(void) {
  uint8_t a[16];
  for (int i = 0; i < 16; i++) a[i] = (uint8_t)(i * 37 + 1);
  bit_reverse(a);
  printf("%d %d\n", a[0], a[15]);
  return 0;
}
