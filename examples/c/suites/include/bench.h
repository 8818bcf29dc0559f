/* Names of arrays and sizes, the way a collection of numerical kernels has them. */
#ifndef BENCH_H
#define BENCH_H
#include "sizes.h"
#ifdef USE_RESTRICT
#define BENCH_RESTRICT restrict
#else
#define BENCH_RESTRICT
#endif
#ifdef RUN_TIME_SIZES
#define BENCH_SIZE(fixed, given) given
#else
#define BENCH_SIZE(fixed, given) fixed
#endif
#define BENCH_1D(name, n, given) name[BENCH_RESTRICT BENCH_SIZE(n, given)]
#define BENCH_2D(name, n, m, given_n, given_m) \
  name[BENCH_RESTRICT BENCH_SIZE(n, given_n)][BENCH_SIZE(m, given_m)]
#define BENCH_ARRAY(x) x
#define BENCH_START
#define BENCH_STOP
#define SCALAR_VAL(x) ((DATA_TYPE)(x))
#endif
