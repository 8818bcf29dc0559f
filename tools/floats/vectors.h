// Operands that meet the corners of float arithmetic more often than random bits do.
#pragma once

#include "host.h"

namespace vectors {

using host::Bits;

struct Vector {
  Bits a, b, c, expected;
};

struct Dice {
  uint64_t state;
  uint64_t next() {  // SplitMix64
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int limit) { return int((next() >> 33) % uint64_t(limit)); }
};

// A fraction: of random bits, of few bits at the top, of one long run, or next to 0.
template <class F>
Bits fraction(Dice& dice) {
  const Bits mask = (Bits(1) << F::FRACTION) - 1;
  const Bits bits = dice.next();
  switch (dice.below(6)) {
    case 0: return (bits << dice.below(F::FRACTION)) & mask;
    case 1: return (mask << dice.below(F::FRACTION + 1)) & mask;
    case 2: return mask >> dice.below(F::FRACTION + 1);
    case 3: return (bits & 3) - (bits >> 2 & 3) & mask;
    default: return bits & mask;
  }
}

// Any number: at the edges of the format, subnormal, near 1, or of any exponent.
template <class F>
Bits any(Dice& dice) {
  const Bits sign = dice.next() & 1 ? F::SIGN : 0;
  const Bits step = Bits(1) << F::FRACTION;
  Bits exponent;
  switch (dice.below(16)) {
    case 0: {
      const Bits edges[] = {0, 1, step - 1, step, step + 1, F::INFINITY_ - 1, F::INFINITY_,
                            F::INFINITY_ + 1, F::NOT_A_NUMBER, F::NOT_A_NUMBER + 1,
                            Bits(F::BIAS) << F::FRACTION, (Bits(F::BIAS) << F::FRACTION) + 1,
                            (Bits(F::BIAS) << F::FRACTION) - 1};
      return sign | edges[dice.below(int(sizeof edges / sizeof *edges))];
    }
    case 1: exponent = 0; break;
    case 2: exponent = Bits(dice.below(F::FRACTION + 4)); break;
    case 3: exponent = Bits(2 * F::BIAS - dice.below(4)); break;
    case 4:
    case 5: exponent = Bits(F::BIAS + dice.below(5) - 2); break;
    case 6: exponent = Bits(F::BIAS + dice.below(F::FRACTION + 3)); break;
    case 7: return dice.next() & F::MASK;
    default: exponent = Bits(dice.below(2 * F::BIAS + 1)); break;
  }
  exponent &= (Bits(1) << F::EXPONENT) - 1;
  return sign | (exponent << F::FRACTION) | fraction<F>(dice);
}

// A number whose exponent is near one that `other` makes interesting: its own, where sums cancel, or
// the one that takes a product or a quotient to the end of the range.
template <class F>
Bits beside(Dice& dice, Bits other) {
  const int field = int((other & F::INFINITY_) >> F::FRACTION);
  const int near = dice.below(2 * F::FRACTION + 8) - F::FRACTION - 4;
  int exponent;
  switch (dice.below(6)) {
    case 0: return any<F>(dice);
    case 1: return (other ^ F::SIGN) + Bits(dice.below(5)) - 2 & F::MASK;
    case 2: exponent = field + near; break;
    case 3: exponent = F::BIAS + 1 - field + near; break;
    case 4: exponent = 3 * F::BIAS - field + dice.below(5) - 2; break;
    default: exponent = field + (dice.next() & 1 ? -F::BIAS : F::BIAS) + dice.below(5) - 2; break;
  }
  if (exponent < 0) exponent = 0;
  if (exponent > 2 * F::BIAS) exponent = 2 * F::BIAS;
  return (dice.next() & 1 ? F::SIGN : 0) | (Bits(exponent) << F::FRACTION) | fraction<F>(dice);
}

// A third operand: beside the product of the others, or nearly its opposite, so that it cancels.
template <class F>
Bits third(Dice& dice, Bits a, Bits b) {
  const Bits product = host::multiply<F>(a, b);
  switch (dice.below(4)) {
    case 0: return any<F>(dice);
    case 1: return (product ^ F::SIGN) + Bits(dice.below(3)) - 1 & F::MASK;
    default: return beside<F>(dice, product);
  }
}

// An integer of `width` bits: any, or a few bits somewhere, or a run of ones.
inline Bits integer(Dice& dice, int width) {
  const Bits mask = ~Bits(0) >> (64 - width), bits = dice.next();
  switch (dice.below(4)) {
    case 0: return bits & mask;
    case 1: return (bits & mask) >> dice.below(width);
    case 2: return -((bits & mask) >> dice.below(width)) & mask;
    default: return ((bits & 7) - 3 + (Bits(1) << dice.below(width))) & mask;
  }
}

}  // namespace vectors
