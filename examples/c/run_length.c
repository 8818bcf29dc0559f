/* Run length encoding of bytes; gives the number of pairs. */
#include <stdint.h>
#include <stdio.h>

#define N 24

int run_length(const uint8_t in[N], int n, uint8_t value[N], uint8_t length[N]) {
  int pairs = 0, i = 0;
  while (i < n) {
    uint8_t first = in[i];
    int begin = i;
    do {
      i++;
    } while (i < n && in[i] == first && i - begin < 255);
    value[pairs] = first;
    length[pairs++] = (uint8_t)(i - begin);
  }
  return pairs;
}

int main(void) {
  uint8_t in[N], value[N] = {0}, length[N] = {0};
  for (int i = 0; i < N; i++) in[i] = (uint8_t)(i * i / 40);
  printf("%d %d\n", run_length(in, N, value, length), run_length(in, 0, value, length));
  return 0;
}
