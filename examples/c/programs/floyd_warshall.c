/* The shortest ways between all pairs of nodes: lengths are made, relaxed and summed. */
#include <stdint.h>
#include <stdio.h>

#define N 14

static uint32_t remainder_of(uint32_t dividend, uint32_t divisor) {
  uint32_t rest = 0;
  for (int bit = 31; bit >= 0; bit--) {
    rest = rest << 1 | (dividend >> bit & 1);
    if (rest >= divisor) rest -= divisor;
  }
  return rest;
}

uint32_t floyd_warshall(uint32_t seed) {
  uint32_t path[N][N];
  uint32_t sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      path[i][j] = remainder_of(seed * i * j, 7) + 1;
      if (remainder_of(seed + i + j, 13) == 0 || remainder_of(i + j, 11) == 0) path[i][j] = 999;
    }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        uint32_t other = path[i][k] + path[k][j];
        if (other < path[i][j]) path[i][j] = other;
      }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum = remainder_of(sum * 31 + path[i][j], 65521);
  return sum;
}

int main(void) {
  printf("%u\n", (unsigned)floyd_warshall(5));
  return 0;
}
