/* The tiny encryption algorithm, half as many rounds. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  uint32_t left, right;
} block;

block tea(block v, const uint32_t key[4]) {
  uint32_t sum = 0;
  for (int round = 0; round < 16; round++) {
    sum += 0x9E3779B9u;
    v.left += ((v.right << 4) + key[0]) ^ (v.right + sum) ^ ((v.right >> 5) + key[1]);
    v.right += ((v.left << 4) + key[2]) ^ (v.left + sum) ^ ((v.left >> 5) + key[3]);
  }
  return v;
}

int main(void) {
  const uint32_t key[4] = {1, 0x80000000u, 3, 42};
  block v = {0x01234567u, 0x89ABCDEFu};
  for (int i = 0; i < 3; i++) v = tea(v, key);
  printf("%x %x\n", (unsigned)v.left, (unsigned)v.right);
  return 0;
}
