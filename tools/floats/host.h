// What the host computes, on bit patterns: its own arithmetic for binary32 and binary64; binary64 and
// one exact rounding for binary16 and bfloat16. Every NaN is the canonical quiet one.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace host {

using Bits = uint64_t;

template <int EXPONENT_, int FRACTION_>
struct Format {
  static constexpr int EXPONENT = EXPONENT_;
  static constexpr int FRACTION = FRACTION_;
  static constexpr int WIDTH = 1 + EXPONENT + FRACTION;
  static constexpr int BIAS = (1 << (EXPONENT - 1)) - 1;
  static constexpr Bits SIGN = Bits(1) << (WIDTH - 1);
  static constexpr Bits INFINITY_ = ((Bits(1) << EXPONENT) - 1) << FRACTION;
  static constexpr Bits NOT_A_NUMBER = INFINITY_ | (Bits(1) << (FRACTION - 1));
  static constexpr Bits MASK = SIGN | (SIGN - 1);
};
using f16 = Format<5, 10>;
using bf16 = Format<8, 7>;
using f32 = Format<8, 23>;
using f64 = Format<11, 52>;

template <class F>
bool is_nan(Bits x) {
  return (x & ~F::SIGN) > F::INFINITY_;
}

// magnitude * 2^scale rounded to nearest, ties to even. `magnitude` has its last bit set if it stands
// for a number that has more bits.
template <class F>
Bits rounded(bool sign, unsigned __int128 magnitude, int scale) {
  const Bits s = sign ? F::SIGN : 0;
  if (magnitude == 0) return s;
  int length = 0;
  for (unsigned __int128 rest = magnitude; rest; rest >>= 1) length++;
  int exponent = scale + length - 1 + F::BIAS;  // of the leading bit
  const int unit = (exponent < 1 ? 1 : exponent) - F::BIAS - F::FRACTION;  // of the last bit kept
  const int drop = unit - scale;
  unsigned __int128 kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop > 127) {
    kept = 0;
  } else {
    const unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
    const unsigned __int128 lost = magnitude & ((half << 1) - 1);
    kept = magnitude >> drop;
    if (lost > half || (lost == half && (kept & 1))) kept++;
  }
  const Bits field = exponent < 1 ? 0 : Bits(exponent - 1);
  if (exponent > 2 * F::BIAS) return s | F::INFINITY_;
  const Bits magnitude_bits = (field << F::FRACTION) + Bits(kept);
  return s | (magnitude_bits >= F::INFINITY_ ? F::INFINITY_ : magnitude_bits);
}

inline double as_double(Bits x) {
  double value;
  std::memcpy(&value, &x, sizeof value);
  return value;
}

inline Bits bits_of(double value) {
  Bits x;
  std::memcpy(&x, &value, sizeof x);
  return x;
}

// The number; exact, as every format fits binary64.
template <class F>
double value(Bits x) {
  if constexpr (F::WIDTH == 64) return as_double(x);
  if constexpr (F::WIDTH == 32) {
    const uint32_t word = uint32_t(x);
    float number;
    std::memcpy(&number, &word, sizeof number);
    return number;
  }
  const double sign = x & F::SIGN ? -1.0 : 1.0;
  const Bits fraction = x & ((Bits(1) << F::FRACTION) - 1);
  const int exponent = int((x & F::INFINITY_) >> F::FRACTION);
  if ((x & F::INFINITY_) == F::INFINITY_) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(double(fraction), 1 - F::BIAS - F::FRACTION);
  return sign * std::ldexp(double(fraction | (Bits(1) << F::FRACTION)),
                           exponent - F::BIAS - F::FRACTION);
}

// The pattern of a number, rounded once.
template <class F>
Bits pattern(double number) {
  if (number != number) return F::NOT_A_NUMBER;
  if constexpr (F::WIDTH == 64) return bits_of(number);
  if constexpr (F::WIDTH == 32) {
    const float rounded_once = float(number);
    uint32_t word;
    std::memcpy(&word, &rounded_once, sizeof word);
    return word;
  }
  const Bits x = bits_of(number);
  const bool sign = x >> 63;
  const int exponent = int((x >> 52) & 0x7ff);
  const Bits fraction = x & ((Bits(1) << 52) - 1);
  if (exponent == 0x7ff) return (sign ? F::SIGN : 0) | F::INFINITY_;
  if (exponent == 0) return rounded<F>(sign, fraction, -1074);
  return rounded<F>(sign, fraction | (Bits(1) << 52), exponent - 1075);
}

// Binary64 has more than twice the digits of the narrow formats: rounding twice does no harm.
#define HOST_BINARY(NAME, OPERATOR)                                          \
  template <class F>                                                         \
  Bits NAME(Bits a, Bits b) {                                                \
    if constexpr (F::WIDTH == 32)                                            \
      return pattern<F>(float(value<F>(a)) OPERATOR float(value<F>(b)));     \
    return pattern<F>(value<F>(a) OPERATOR value<F>(b));                     \
  }
HOST_BINARY(add, +)
HOST_BINARY(subtract, -)
HOST_BINARY(multiply, *)
HOST_BINARY(divide, /)
#undef HOST_BINARY

template <class F>
Bits square_root(Bits a) {
  if constexpr (F::WIDTH == 32) return pattern<F>(std::sqrt(float(value<F>(a))));
  return pattern<F>(std::sqrt(value<F>(a)));
}

// For narrow formats the product is exact, and the sum is rounded to odd first: its last bit is set
// if anything was lost, so that the second rounding sees on which side the number lies.
template <class F>
Bits fused(Bits a, Bits b, Bits c) {
  if constexpr (F::WIDTH == 64) return pattern<F>(std::fma(value<F>(a), value<F>(b), value<F>(c)));
  if constexpr (F::WIDTH == 32)
    return pattern<F>(std::fmaf(float(value<F>(a)), float(value<F>(b)), float(value<F>(c))));
  const double product = value<F>(a) * value<F>(b), addend = value<F>(c);
  const double sum = product + addend;
  if (!std::isfinite(sum) || !std::isfinite(product)) return pattern<F>(sum);
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);
  Bits x = bits_of(sum);
  if (error != 0 && !(x & 1)) x += (error > 0) == (sum > 0) ? 1 : -1;
  return pattern<F>(as_double(x));
}

template <class F>
Bits extreme(Bits a, Bits b, bool larger, bool number_wins) {
  if (is_nan<F>(a) && is_nan<F>(b)) return F::NOT_A_NUMBER;
  if (is_nan<F>(a)) return number_wins ? b : F::NOT_A_NUMBER;
  if (is_nan<F>(b)) return number_wins ? a : F::NOT_A_NUMBER;
  const double x = value<F>(a), y = value<F>(b);
  const bool below = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return below == larger ? b : a;
}

// `wanted`: whether the relation holds for unordered, less, equal and greater, the first lowest.
template <class F>
Bits compare(Bits a, Bits b, int wanted) {
  const double x = value<F>(a), y = value<F>(b);
  return Bits(wanted >> (x < y ? 1 : x == y ? 2 : x > y ? 3 : 0)) & 1;
}

template <class S, class T>
Bits convert(Bits a) {
  return pattern<T>(value<S>(a));
}

template <class F, int WIDTH>
Bits from_signed(Bits a) {
  const int64_t number = int64_t(a << (64 - WIDTH)) >> (64 - WIDTH);
  if constexpr (F::WIDTH == 64) return pattern<F>(double(number));
  if constexpr (F::WIDTH == 32) return pattern<F>(float(number));
  return rounded<F>(number < 0, number < 0 ? -Bits(number) : Bits(number), 0);
}

template <class F, int WIDTH>
Bits from_unsigned(Bits a) {
  if constexpr (F::WIDTH == 64) return pattern<F>(double(a));
  if constexpr (F::WIDTH == 32) return pattern<F>(float(a));
  return rounded<F>(false, a, 0);
}

template <class F, int WIDTH>
Bits to_signed(Bits a) {
  const double number = std::trunc(value<F>(a)), limit = std::ldexp(1.0, WIDTH - 1);
  const Bits mask = ~Bits(0) >> (64 - WIDTH), least = Bits(1) << (WIDTH - 1);
  if (number != number) return 0;
  if (number >= limit) return least - 1;
  if (number < -limit) return least;
  return Bits(int64_t(number)) & mask;
}

template <class F, int WIDTH>
Bits to_unsigned(Bits a) {
  const double number = std::trunc(value<F>(a));
  if (!(number > 0)) return 0;
  if (number >= std::ldexp(1.0, WIDTH)) return ~Bits(0) >> (64 - WIDTH);
  return Bits(number);
}

}  // namespace host
