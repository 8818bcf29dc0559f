/* A number as decimal digits of four bits, without a division. */
#include <stdint.h>
#include <stdio.h>

uint64_t bcd(uint32_t n) {
  uint64_t digits = 0;
  for (int bit = 31; bit >= 0; bit--) {
    for (int d = 0; d < 40; d += 4)
      if ((digits >> d & 15) >= 5) digits += (uint64_t)3 << d;
    digits = digits << 1 | (n >> bit & 1);
  }
  return digits;
}

int main(void) {
  printf("%llx %llx\n", (unsigned long long)bcd(1234567890u), (unsigned long long)bcd(4294967295u));
  return bcd(99) != 0x99;
}
