/* G = (A B) (C D), by three loop nests over arrays whose sizes are macros. */
#include <stdio.h>
#define USE_RESTRICT
#include "bench.h"
#define NL 4
#define NM 6

static void init_array(int ni, int nj, int nk, int nl, int nm,
                       DATA_TYPE BENCH_2D(A, NI, NK, ni, nk), DATA_TYPE BENCH_2D(B, NK, NJ, nk, nj),
                       DATA_TYPE BENCH_2D(C, NJ, NM, nj, nm), DATA_TYPE BENCH_2D(D, NM, NL, nm, nl))
{
  int i, j;
  for (i = 0; i < ni; i++)
    for (j = 0; j < nk; j++) A[i][j] = (DATA_TYPE)((i * j + 1) % ni);
  for (i = 0; i < nk; i++)
    for (j = 0; j < nj; j++) B[i][j] = (DATA_TYPE)((i * (j + 1) + 2) % nj);
  for (i = 0; i < nj; i++)
    for (j = 0; j < nm; j++) C[i][j] = (DATA_TYPE)(i * (j + 3) % nl);
  for (i = 0; i < nm; i++)
    for (j = 0; j < nl; j++) D[i][j] = (DATA_TYPE)((i * (j + 2) + 2) % nk);
}

static void print_array(int ni, int nl, DATA_TYPE BENCH_2D(G, NI, NL, ni, nl))
{
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nl; j++) {
      if ((i * ni + j) % 20 == 0) fprintf(stderr, "\n");
      fprintf(stderr, "%d ", (int)G[i][j]);
    }
}

static void kernel_3mm(int ni, int nj, int nk, int nl, int nm,
                       DATA_TYPE BENCH_2D(E, NI, NJ, ni, nj), DATA_TYPE BENCH_2D(A, NI, NK, ni, nk),
                       DATA_TYPE BENCH_2D(B, NK, NJ, nk, nj), DATA_TYPE BENCH_2D(F, NJ, NL, nj, nl),
                       DATA_TYPE BENCH_2D(C, NJ, NM, nj, nm), DATA_TYPE BENCH_2D(D, NM, NL, nm, nl),
                       DATA_TYPE BENCH_2D(G, NI, NL, ni, nl))
{
  int i, j, k;

#pragma scop
  for (i = 0; i < BENCH_SIZE(NI, ni); i++)
    for (j = 0; j < BENCH_SIZE(NJ, nj); j++) {
      E[i][j] = SCALAR_VAL(0.0);
      for (k = 0; k < BENCH_SIZE(NK, nk); ++k) E[i][j] += A[i][k] * B[k][j];
    }
  for (i = 0; i < BENCH_SIZE(NJ, nj); i++)
    for (j = 0; j < BENCH_SIZE(NL, nl); j++) {
      F[i][j] = SCALAR_VAL(0.0);
      for (k = 0; k < BENCH_SIZE(NM, nm); ++k) F[i][j] += C[i][k] * D[k][j];
    }
  for (i = 0; i < BENCH_SIZE(NI, ni); i++)
    for (j = 0; j < BENCH_SIZE(NL, nl); j++) {
      G[i][j] = SCALAR_VAL(0.0);
      for (k = 0; k < BENCH_SIZE(NJ, nj); ++k) G[i][j] += E[i][k] * F[k][j];
    }
#pragma endscop
}

int main(int argc, char **argv)
{
  int ni = NI, nj = NJ, nk = NK, nl = NL, nm = NM;
  static DATA_TYPE E[NI][NJ], A[NI][NK], B[NK][NJ], F[NJ][NL], C[NJ][NM], D[NM][NL], G[NI][NL];

  init_array(ni, nj, nk, nl, nm, A, B, C, D);
  BENCH_START;
  kernel_3mm(ni, nj, nk, nl, nm, E, A, B, F, C, D, G);
  BENCH_STOP;
  if (argc > 42 && argv[0][0]) print_array(ni, nl, G);
  return 0;
}
