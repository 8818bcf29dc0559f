/* Sine and cosine by shifts and additions; angle and results have 14 bits behind the point. */
#include <stdint.h>
#include <stdio.h>

typedef struct {
  int32_t cosine, sine;
} turned;

static const int32_t angles[12] = {12868, 7596, 4014, 2037, 1023, 512, 256, 128, 64, 32, 16, 8};

turned cordic(int32_t angle) {
  turned v = {9949, 0};
  for (int i = 0; i < 12; i++) {
    int32_t dx = v.sine >> i, dy = v.cosine >> i;
    if (angle >= 0) {
      v.cosine -= dx;
      v.sine += dy;
      angle -= angles[i];
    } else {
      v.cosine += dx;
      v.sine -= dy;
      angle += angles[i];
    }
  }
  return v;
}

int main(void) {
  for (int32_t angle = -16384; angle <= 16384; angle += 8192) {
    turned t = cordic(angle);
    printf("%d %d\n", (int)t.cosine, (int)t.sine);
  }
  return 0;
}
