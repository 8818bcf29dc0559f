#include "picture.h"

const uint8_t zigzag[CELLS] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};

#define BUTTERFLY(p, step)                                   \
  do {                                                       \
    int a = (p)[0] + (p)[2 * (step)], b = (p)[0] - (p)[2 * (step)]; \
    int c = ((p)[step] >> 1) - (p)[3 * (step)];              \
    int d = (p)[step] + ((p)[3 * (step)] >> 1);              \
    (p)[0] = (int16_t)(a + d);                               \
    (p)[3 * (step)] = (int16_t)(a - d);                      \
    (p)[step] = (int16_t)(b + c);                            \
    (p)[2 * (step)] = (int16_t)(b - c);                      \
  } while (0)

void inverse_transform(int16_t block[CELLS])
{
  int16_t *p;
rows:
  for (p = block; p < block + CELLS; p += SIDE) BUTTERFLY(p, 1);
columns:
  for (p = block; p < block + SIDE; p++) BUTTERFLY(p, SIDE);
  for (int k = 0; k < CELLS; k++) block[k] = (int16_t)((block[k] + 32) >> 6);
}
