/* A matrix product with a label on each loop, sizes and element type by macros. */
#include "sizes.h"
#include "check.h"

void labelled_gemm(DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE c[NI][NJ],
                   DATA_TYPE a[NI][NK], DATA_TYPE b[NK][NJ])
{
rows:
  LOOP(i, NI) {
  columns:
    LOOP(j, NJ) {
      c[i][j] *= beta;
    products:
      LOOP(k, NK) c[i][j] += alpha * a[i][k] * b[k][j];
    }
  }
  TRACE("gemm of %d by %d by %d\n", NI, NJ, NK);
}

int main(void)
{
  static DATA_TYPE a[NI][NK], b[NK][NJ], c[NI][NJ];
  LOOP(i, NI) LOOP(k, NK) a[i][k] = (DATA_TYPE)(i * k + 1) % 11;
  LOOP(k, NK) LOOP(j, NJ) b[k][j] = (DATA_TYPE)(k * (j + 2)) % 7;
  LOOP(i, NI) LOOP(j, NJ) c[i][j] = (DATA_TYPE)(i - j);
  labelled_gemm(3, 2, c, a, b);
  return c[NI - 1][NJ - 1] == 0;
}
