/* Counting sort of small numbers. */
#include <stdint.h>
#include <stdio.h>

#define N 20
#define KINDS 8

void counting_sort(const uint8_t in[N], uint8_t out[N]) {
  int place[KINDS + 1] = {0};
  for (int i = 0; i < N; i++) place[in[i] + 1]++;
  for (int k = 1; k <= KINDS; k++) place[k] += place[k - 1];
  for (int i = 0; i < N; i++) out[place[in[i]]++] = in[i];
}

int main(void) {
  uint8_t in[N], out[N];
  for (int i = 0; i < N; i++) in[i] = (uint8_t)(i * i % KINDS);
  counting_sort(in, out);
  printf("%d %d\n", out[0], out[N - 1]);
  return 0;
}
