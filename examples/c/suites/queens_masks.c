/* The ways to place queens, by masks, with a stack of structs instead of recursion. */
#include "check.h"

#ifndef QUEENS
#define QUEENS 6
#endif
#define ALL ((1u << QUEENS) - 1)

struct level {
  unsigned columns, left, right, free;
};

static inline void enter(struct level *to, unsigned columns, unsigned left, unsigned right)
{
  to->columns = columns;
  to->left = left;
  to->right = right;
  to->free = ALL & ~(columns | left | right);
}

int queens_masks(unsigned char first[QUEENS], int *steps)
{
  struct level levels[QUEENS + 1];
  struct level *now = levels;
  int ways = 0;

  *steps = 0;
  enter(now, 0, 0, 0);
  for (;;) {
    ++*steps;
    if (now->columns == ALL) {
      if (ways++ == 0)
        for (int k = 0; k < QUEENS; k++) {
          unsigned bit = levels[k].columns ^ levels[k + 1].columns;
          first[k] = (unsigned char)__builtin_ctz(bit);
        }
      goto up;
    }
    if (now->free) {
      unsigned bit = now->free & -now->free;
      now->free ^= bit;
      enter(now + 1, now->columns | bit, (now->left | bit) << 1, (now->right | bit) >> 1);
      now++;
      continue;
    }
  up:
    if (now == levels) break;
    now--;
  }
  printf("%d ways, %d steps\n", ways, *steps);
  return ways;
}

int main(void)
{
  unsigned char first[QUEENS];
  int steps;
  return queens_masks(first, &steps) != 4 || first[0] != 1;
}
