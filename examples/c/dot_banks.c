/* A dot product, four products per iteration: each array lies in four banks, one for each of them. */
#include <stdint.h>
#include <stdio.h>

#define N 64

int32_t dot_banks(const int16_t a[N], const int16_t b[N]) {
#pragma loom partition(a, cyclic, 4)
#pragma loom partition(b, cyclic, 4)
  int32_t sum = 0;
#pragma loom unroll(4)
#pragma loom ii(1)
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

int main(void) {
  int16_t a[N], b[N];
  for (int i = 0; i < N; i++) {
    a[i] = (int16_t)((i * 7919) % 2001 - 1000);
    b[i] = (int16_t)((i * 104729) % 2001 - 1000);
  }
  int32_t first = dot_banks(a, b), second = dot_banks(b, b);
  printf("%d %d\n", (int)first, (int)second);
  return 0;
}
