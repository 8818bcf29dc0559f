/* Heat along a rod: two rows whose pointers are swapped after each step, by a function. */
#include "sizes.h"
#include "check.h"

#define CELLS 16

static void swap_rows(DATA_TYPE **a, DATA_TYPE **b)
{
  DATA_TYPE *kept = *a;
  *a = *b;
  *b = kept;
}

DATA_TYPE ping_pong_heat(DATA_TYPE even[CELLS], DATA_TYPE odd[CELLS], int steps)
{
  DATA_TYPE *now = even, *next = odd, sum = 0;
time:
  for (int t = 0; t < steps; t++) {
    next[0] = now[0];
    next[CELLS - 1] = now[CELLS - 1];
  cells:
    for (int i = 1; i < CELLS - 1; i++) next[i] = (now[i - 1] + 2 * now[i] + now[i + 1]) / 4;
    swap_rows(&now, &next);
  }
  LOOP(i, CELLS) sum += now[i];
  assert(steps >= 0);
  return sum;
}

int main(void)
{
  DATA_TYPE even[CELLS], odd[CELLS];
  LOOP(i, CELLS) even[i] = (DATA_TYPE)(i * i), odd[i] = 0;
  DATA_TYPE sum = ping_pong_heat(even, odd, 3);
  return sum + ping_pong_heat(odd, even, 2) == 0;
}
