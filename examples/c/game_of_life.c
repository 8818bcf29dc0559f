/* A generation of cells on a torus. */
#include <stdbool.h>
#include <stdio.h>

#define N 8

void game_of_life(const bool now[N][N], bool next[N][N]) {
  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++) {
      int alive = 0;
      for (int d = 0; d < 9; d++)
        if (d != 4) alive += now[(y + d / 3 + N - 1) % N][(x + d % 3 + N - 1) % N];
      next[y][x] = alive == 3 || (now[y][x] && alive == 2);
    }
}

int main(void) {
  bool a[N][N] = {{0, 1}, {0, 0, 1}, {1, 1, 1}}, b[N][N] = {{0}};
  game_of_life(a, b);
  game_of_life(b, a);
  printf("%d\n", a[2][1]);
  return 0;
}
