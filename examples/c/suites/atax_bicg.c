/* y = A^T (A x), and the two products of a bi-conjugate gradient, of one header of macros. */
#undef DATA_TYPE
#define DATA_TYPE float
#include "bench.h"
#include "check.h"
#define M NK
#define N NI

#define ZERO(v, n) do { int z_; for (z_ = 0; z_ < (n); z_++) (v)[z_] = SCALAR_VAL(0); } while (0)

static void atax(DATA_TYPE BENCH_2D(A, N, M, n, m), const DATA_TYPE *x, DATA_TYPE *y, DATA_TYPE tmp[])
{
  int i, j;
  ZERO(y, M);
  for (i = 0; i < N; i++) {
    tmp[i] = SCALAR_VAL(0.0);
    for (j = 0; j < M; j++) tmp[i] = tmp[i] + A[i][j] * x[j];
    for (j = 0; j < M; j++) y[j] = y[j] + A[i][j] * tmp[i];
  }
}

static void bicg(DATA_TYPE BENCH_2D(A, N, M, n, m), DATA_TYPE *s, DATA_TYPE *q, const DATA_TYPE *p,
                 const DATA_TYPE *r)
{
  int i, j;
  ZERO(s, M);
  for (i = 0; i < N; i++) {
    q[i] = SCALAR_VAL(0.0);
    for (j = 0; j < M; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}

DATA_TYPE atax_bicg(DATA_TYPE BENCH_2D(A, N, M, n, m), DATA_TYPE BENCH_1D(x, M, m),
                    DATA_TYPE BENCH_1D(y, M, m), DATA_TYPE BENCH_1D(s, M, m),
                    DATA_TYPE BENCH_1D(q, N, n))
{
  DATA_TYPE tmp[N], norm = 0, *row;
  atax(A, x, y, tmp);
  bicg(A, s, q, x, tmp);
rows:
  for (row = q; row != q + N; ++row) norm += *row * *row;
  TRACE("norm %f\n", (double)norm);
  return norm;
}

int main(void)
{
  DATA_TYPE A[N][M], x[M], y[M], s[M], q[N];
  LOOP(i, N) LOOP(j, M) A[i][j] = (DATA_TYPE)((i + j) % N) / (5 * M);
  LOOP(i, M) x[i] = 1 + i / (DATA_TYPE)M;
  return !(atax_bicg(A, x, y, s, q) > 0);
}
