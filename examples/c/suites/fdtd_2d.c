/* Fields of a two-dimensional wave, three arrays of doubles in each step. */
#undef DATA_TYPE
#define DATA_TYPE double
#include "bench.h"
#include "check.h"

#define IN(i, j, w) ((i) * (w) + (j))

void fdtd_2d(int tmax, DATA_TYPE ex[NI * NJ], DATA_TYPE ey[NI * NJ], DATA_TYPE hz[NI * NJ],
             const DATA_TYPE fict[STEPS])
{
  int t, i, j;
  assert(tmax <= STEPS);
time:
  for (t = 0; t < tmax; t++) {
    for (j = 0; j < NJ; j++) ey[IN(0, j, NJ)] = fict[t];
  ey_rows:
    for (i = 1; i < NI; i++)
      for (j = 0; j < NJ; j++)
        ey[IN(i, j, NJ)] -= SCALAR_VAL(0.5) * (hz[IN(i, j, NJ)] - hz[IN(i - 1, j, NJ)]);
  ex_rows:
    for (i = 0; i < NI; i++)
      for (j = 1; j < NJ; j++)
        ex[IN(i, j, NJ)] -= SCALAR_VAL(0.5) * (hz[IN(i, j, NJ)] - hz[IN(i, j - 1, NJ)]);
  hz_rows:
    for (i = 0; i < NI - 1; i++)
      for (j = 0; j < NJ - 1; j++)
        hz[IN(i, j, NJ)] -= SCALAR_VAL(0.7) * (ex[IN(i, j + 1, NJ)] - ex[IN(i, j, NJ)] +
                                               ey[IN(i + 1, j, NJ)] - ey[IN(i, j, NJ)]);
  }
}

int main(void)
{
  DATA_TYPE ex[NI * NJ], ey[NI * NJ], hz[NI * NJ], fict[STEPS];
  LOOP(t, STEPS) fict[t] = t;
  LOOP(i, NI) LOOP(j, NJ) {
    ex[IN(i, j, NJ)] = (DATA_TYPE)i * (j + 1) / NI;
    ey[IN(i, j, NJ)] = (DATA_TYPE)i * (j + 2) / NJ;
    hz[IN(i, j, NJ)] = (DATA_TYPE)i * (j + 3) / NI;
  }
  fdtd_2d(2, ex, ey, hz, fict);
  return hz[0] == 0;
}
