/* Grey values of coloured points: an array of structs is an array for each colour. */
#include <stdint.h>
#include <stdio.h>

#define N 16

typedef struct {
  uint8_t red, green, blue;
} color;

void rgb_to_gray(const color in[N], uint8_t out[N]) {
  for (int i = 0; i < N; i++)
    out[i] = (uint8_t)((77 * in[i].red + 150 * in[i].green + 29 * in[i].blue) >> 8);
}

int main(void) {
  color in[N];
  uint8_t out[N];
  for (int i = 0; i < N; i++) {
    color c = {(uint8_t)(16 * i), (uint8_t)(255 - 3 * i), (uint8_t)(i * i)};
    in[i] = c;
  }
  rgb_to_gray(in, out);
  printf("%d %d\n", out[0], out[N - 1]);
  return 0;
}
