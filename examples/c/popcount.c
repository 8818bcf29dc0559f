/* Set bits of an array, without a loop over bits. */
#include <stdint.h>
#include <stdio.h>

static int bits(uint32_t v) {
  v -= (v >> 1) & 0x55555555u;
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  return (int)(((v + (v >> 4) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
}

int popcount(const uint32_t a[12]) {
  int sum = 0;
  for (int i = 0; i < 12; i++) sum += bits(a[i]);
  return sum;
}

int main(void) {
  uint32_t a[12];
  for (int i = 0; i < 12; i++) a[i] = 0x9E3779B9u * (uint32_t)i;
  printf("%d\n", popcount(a));
  return 0;
}
