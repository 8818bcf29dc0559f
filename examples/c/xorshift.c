/* Random numbers: the state is kept in the circuit from call to call. */
#include <stdint.h>
#include <stdio.h>

static uint32_t state = 2463534242u;

uint32_t xorshift(int count) {
  for (int i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
  }
  return state;
}

int main(void) {
  for (int i = 0; i < 5; i++) printf("%u\n", (unsigned)xorshift(i));
  return 0;
}
