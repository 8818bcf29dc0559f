/* Discrete cosine transform of eight numbers, with a table of 10 bits behind the point. */
#include <stdint.h>
#include <stdio.h>

static const int16_t table[8][8] = {
    {362, 362, 362, 362, 362, 362, 362, 362},     {502, 426, 284, 100, -100, -284, -426, -502},
    {473, 196, -196, -473, -473, -196, 196, 473}, {426, -100, -502, -284, 284, 502, 100, -426},
    {362, -362, -362, 362, 362, -362, -362, 362}, {284, -502, 100, 426, -426, -100, 502, -284},
    {196, -473, 473, -196, -196, 473, -473, 196}, {100, -284, 426, -502, 502, -426, 284, -100},
};

void dct8(const int16_t in[8], int16_t out[8]) {
  for (int u = 0; u < 8; u++) {
    int32_t sum = 512;
    for (int x = 0; x < 8; x++) sum += table[u][x] * in[x];
    out[u] = (int16_t)(sum >> 10);
  }
}

int main(void) {
  int16_t in[8], out[8];
  for (int x = 0; x < 8; x++) in[x] = (int16_t)(x * x * 9 - 128);
  dct8(in, out);
  printf("%d %d %d\n", out[0], out[1], out[7]);
  return 0;
}
