/* Hash of Fowler, Noll and Vo, 64 bits. */
#include <stdint.h>
#include <stdio.h>

uint64_t fnv1a(const uint8_t data[16], int n) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int i = 0; i < n; i++) {
    hash ^= data[i];
    hash *= 0x100000001b3u;
  }
  return hash;
}

int main(void) {
  uint8_t data[16] = "foobar";
  printf("%llx\n", (unsigned long long)fnv1a(data, 6));
  return fnv1a(data, 6) != 0x85944171f73967e8u;
}
