/* Division in software: the programs share one circuit for it. */
#ifndef DIVIDE_H
#define DIVIDE_H

#include <stdint.h>

static uint32_t divide(uint32_t dividend, uint32_t divisor) {
  uint32_t quotient = 0, rest = 0;
  for (int bit = 31; bit >= 0; bit--) {
    rest = rest << 1 | (dividend >> bit & 1);
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= (uint32_t)1 << bit;
    }
  }
  return quotient;
}

#endif
