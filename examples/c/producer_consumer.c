/* A ring of words: one loop that writes and reads it by turns. */
#include <stdint.h>
#include <stdio.h>

#define RING 8

uint32_t producer_consumer(const uint16_t in[32], int n) {
  uint16_t ring[RING] = {0};
  unsigned head = 0, tail = 0;
  uint32_t sum = 0;
  for (int i = 0; i < n || head != tail; i++) {
    if (i < n) ring[head++ % RING] = in[i];
    if (head - tail == RING || i >= n) sum = sum * 31 + ring[tail++ % RING];
  }
  return sum;
}

int main(void) {
  uint16_t in[32];
  for (int i = 0; i < 32; i++) in[i] = (uint16_t)(i * 977);
  printf("%u %u\n", (unsigned)producer_consumer(in, 32), (unsigned)producer_consumer(in, 3));
  return 0;
}
