/* Five rounds over one state, each with constants of its own: a row of loops that is one circuit. */
#include <stdint.h>
#include <stdio.h>

#define N 16

static void mix(uint32_t state[N], uint32_t round, uint32_t key) {
  for (int i = 0; i < N; i++) {
    uint32_t x = state[i] ^ key;
    if (x & 1) x += round;
    state[i] = x + (x << 5) + (x >> 3);
  }
}

void mix_rounds(uint32_t state[N]) {
  mix(state, 1, 0x9e3779b9u);
  mix(state, 2, 0x7f4a7c15u);
  mix(state, 3, 0xf39cc060u);
  mix(state, 4, 0x5cedc834u);
  mix(state, 5, 0x2b992ddfu);
}

int main(void) {
  uint32_t state[N];
  for (int i = 0; i < N; i++) state[i] = 7u * i;
  mix_rounds(state);
  printf("%u\n", state[3]);
  return 0;
}
