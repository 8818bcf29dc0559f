/* Fill of an area, with a stack of places. */
#include <stdint.h>
#include <stdio.h>

#define N 6

int flood_fill(uint8_t a[N][N], int y, int x, uint8_t paint) {
  struct {
    int8_t y, x;
  } stack[4 * N * N];
  uint8_t old = a[y][x];
  int top = 0, filled = 0;
  if (old == paint) return 0;
  stack[top].y = (int8_t)y;
  stack[top++].x = (int8_t)x;
  while (top > 0) {
    top--;
    int py = stack[top].y, px = stack[top].x;
    if (py < 0 || py >= N || px < 0 || px >= N || a[py][px] != old) continue;
    a[py][px] = paint;
    filled++;
    for (int d = 0; d < 4; d++) {
      stack[top].y = (int8_t)(py + (d == 0) - (d == 1));
      stack[top++].x = (int8_t)(px + (d == 2) - (d == 3));
    }
  }
  return filled;
}

int main(void) {
  uint8_t a[N][N];
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) a[y][x] = (uint8_t)(x == 3 || y == 2);
  printf("%d %d\n", flood_fill(a, 0, 0, 7), flood_fill(a, 2, 2, 9));
  return 0;
}
