/* Iterations until a point of the plane is far away; 12 bits behind the point. */
#include <stdint.h>
#include <stdio.h>

int mandelbrot(int32_t cx, int32_t cy, int most) {
  int32_t x = 0, y = 0;
  for (int i = 0; i < most; i++) {
    int32_t xx = x * x >> 12, yy = y * y >> 12;
    if (xx + yy > 4 << 12) return i;
    y = (x * y >> 11) + cy;
    x = xx - yy + cx;
  }
  return most;
}

int main(void) {
  printf("%d %d %d\n", mandelbrot(0, 0, 20), mandelbrot(2 << 12, 0, 20), mandelbrot(-3000, 2900, 50));
  return 0;
}
