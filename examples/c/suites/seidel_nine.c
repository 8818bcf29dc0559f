/* Gauss-Seidel sweeps over nine points, in place, through pointers to three rows. */
#include "sizes.h"
#include "check.h"
#define W 7

static DATA_TYPE nine(const DATA_TYPE *above, const DATA_TYPE *row, const DATA_TYPE *below)
{
#define THREE(p) ((p)[-1] + (p)[0] + (p)[1])
  return (THREE(above) + THREE(row) + THREE(below)) / 9;
#undef THREE
}

int seidel_nine(DATA_TYPE grid[W][W], int most)
{
  int sweep = 0, changed;
again:
  do {
    changed = 0;
  rows:
    for (int i = 1; i < W - 1; i++) {
      DATA_TYPE *at = &grid[i][1];
    columns:
      for (int j = 1; j < W - 1; j++, at++) {
        DATA_TYPE mean = nine(at - W, at, at + W);
        if (mean == *at) continue;
        *at = mean;
        changed++;
      }
    }
    if (++sweep == most) goto done;
  } while (changed);
  TRACE("settled after %d sweeps\n", sweep);
done:
  return sweep;
}

int main(void)
{
  DATA_TYPE grid[W][W];
  LOOP(i, W) LOOP(j, W) grid[i][j] = (DATA_TYPE)((i * 41 + j * 17) % 50);
  int first = seidel_nine(grid, 2);
  return first + seidel_nine(grid, 20) < 4;
}
