/* A stencil over time steps: the new row is copied back as a whole. */
#include <string.h>
#include "sizes.h"

#define WIDTH (NI * 4)

void stencil_steps(DATA_TYPE row[WIDTH])
{
  DATA_TYPE next[WIDTH];
  memcpy(next, row, sizeof(next));
time:
  LOOP(t, STEPS) {
  points:
    for (int i = 1; i < WIDTH - 1; i++) next[i] = (row[i - 1] + 2 * row[i] + row[i + 1]) / 4;
    memcpy(row, next, WIDTH * sizeof(DATA_TYPE));
  }
}

int main(void)
{
  DATA_TYPE row[WIDTH];
  LOOP(i, WIDTH) row[i] = (DATA_TYPE)((i * 37) % 101);
  stencil_steps(row);
  return row[3] == 0;
}
