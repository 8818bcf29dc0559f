/* A layer of a network in bytes: products, a bias, a ramp, a scale. */
#include <stdint.h>
#include <stdio.h>

#define IN 12
#define OUT 5

static const int16_t bias[OUT] = {100, -250, 0, 33, -1};

void neural_layer(const int8_t x[IN], const int8_t w[OUT][IN], uint8_t y[OUT]) {
  for (int o = 0; o < OUT; o++) {
    int32_t sum = bias[o];
    for (int i = 0; i < IN; i++) sum += x[i] * w[o][i];
    sum = sum < 0 ? 0 : sum >> 5;
    y[o] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

int main(void) {
  int8_t x[IN], w[OUT][IN];
  uint8_t y[OUT];
  for (int i = 0; i < IN; i++) {
    x[i] = (int8_t)(i * 19 - 90);
    for (int o = 0; o < OUT; o++) w[o][i] = (int8_t)(o * 23 ^ i * 17);
  }
  neural_layer(x, w, y);
  printf("%d %d %d\n", y[0], y[1], y[OUT - 1]);
  return 0;
}
