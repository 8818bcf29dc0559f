/* A sorting network: the compare-exchange is a macro, its loops are those of a parallel program. */
#include "check.h"

#define COUNT 16
#define EXCHANGE(x, y, up) \
  do { \
    if (((x) > (y)) == (up)) { int t_ = (x); (x) = (y); (y) = t_; swaps++; } \
  } while (0)

unsigned bitonic_net(int a[COUNT])
{
  unsigned swaps = 0u;
  int j, k;
  for (k = 2; k <= COUNT; k <<= 1)
    for (j = k >> 1; j; j >>= 1) {
      #pragma omp parallel for
      for (int i = 0; i < COUNT; ++i) {
        int other = i ^ j;
        if (other > i) EXCHANGE(a[i], a[other], !(i & k));
      }
    }
  TRACE("%u exchanges\n", swaps);
  return swaps;
}

int main(void)
{
  int a[COUNT];
  for (int i = 0; i < COUNT; i++) a[i] = (i * 11 + 5) % 23 - 9;
  bitonic_net(a);
  for (int i = 1; i < COUNT; i++) assert(a[i - 1] <= a[i]);
  return 0;
}
