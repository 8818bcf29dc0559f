/* Pairs of equal keys of two tables, by a table of hashes with open addresses. */
#include <stdint.h>
#include <stdio.h>

#define N 8
#define SLOTS 16

int hash_join(const uint16_t left[N], const uint16_t right[N]) {
  uint16_t key[SLOTS];
  _Bool full[SLOTS] = {0};
  int pairs = 0;
  for (int i = 0; i < N; i++) {
    unsigned at = left[i] * 40503u >> 4 & (SLOTS - 1);
    while (full[at]) at = (at + 1) % SLOTS;
    full[at] = 1;
    key[at] = left[i];
  }
  for (int i = 0; i < N; i++)
    for (unsigned at = right[i] * 40503u >> 4 & (SLOTS - 1); full[at]; at = (at + 1) % SLOTS)
      if (key[at] == right[i]) pairs++;
  return pairs;
}

int main(void) {
  const uint16_t left[N] = {5, 9, 5, 100, 65535, 7, 42, 0};
  const uint16_t right[N] = {42, 5, 5, 1, 2, 65535, 9, 9};
  printf("%d\n", hash_join(left, right));
  return hash_join(left, right) != 8;
}
