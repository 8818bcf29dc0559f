/* How often each value occurs; the counts are a global that main reads. */
#include <stdint.h>
#include <stdio.h>

#define BINS 8

unsigned count[BINS];

void histogram(const uint8_t data[48], int n) {
  for (int b = 0; b < BINS; b++) count[b] = 0;
  for (int i = 0; i < n; i++) count[data[i] / (256 / BINS)]++;
}

int main(void) {
  uint8_t data[48];
  for (int i = 0; i < 48; i++) data[i] = (uint8_t)(i * i * 3);
  histogram(data, 48);
  printf("%u %u\n", count[0], count[7]);
  histogram(data, 0);
  histogram(data, 5);
  printf("%u %u\n", count[0], count[7]);
  return 0;
}
