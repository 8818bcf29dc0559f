/* Quotients of single-precision floats in integers alone, digit by digit; ties to even. */
#include <stdint.h>
#include "check.h"

#define COUNT 10
#define SIGN_BIT 0x80000000u
#define HIDDEN 0x800000u
#define INFINITE 0x7F800000u
#define DEFAULT_NAN 0x7FC00000u
#define extract_exponent(x) (int)(((x) >> 23) & 0xFF)
#define extract_fraction(x) ((x) & (HIDDEN - 1))

enum { FLAG_INVALID = 1, FLAG_DIVIDE_BY_ZERO = 2, FLAG_INEXACT = 4 };

typedef uint32_t float32;
typedef struct { int exponent; uint32_t significand; } unpacked;

static void raise_flag(int *flags, int raised) { *flags |= raised; }

static unpacked normalize_subnormal(uint32_t fraction)
{
  unpacked made = {.exponent = 1, .significand = fraction};
  while (!(made.significand & HIDDEN)) made.significand <<= 1, made.exponent--;
  return made;
}

static float32 divide(float32 a, float32 b, int *flags)
{
  const float32 sign = (a ^ b) & SIGN_BIT;
  unpacked x = {extract_exponent(a), extract_fraction(a)};
  unpacked y = {extract_exponent(b), extract_fraction(b)};

  if (x.exponent == 0xFF) {
    if (x.significand) goto nan;
    if (y.exponent == 0xFF) goto invalid;
    return sign | INFINITE;
  }
  if (y.exponent == 0xFF) {
    if (y.significand) goto nan;
    return sign;
  }
  if (y.exponent == 0) {
    if (y.significand == 0) {
      if ((x.exponent | (int)x.significand) == 0) goto invalid;
      raise_flag(flags, FLAG_DIVIDE_BY_ZERO);
      return sign | INFINITE;
    }
    y = normalize_subnormal(y.significand);
  } else y.significand |= HIDDEN;
  if (x.exponent == 0) {
    if (x.significand == 0) return sign;
    x = normalize_subnormal(x.significand);
  } else x.significand |= HIDDEN;

  int exponent = x.exponent - y.exponent + 126;
  uint32_t rest = x.significand, quotient = 0;
  if (rest >= y.significand) exponent++;
  else rest <<= 1;
digits:
  for (int k = 0; k < 26; k++) {
    quotient <<= 1;
    if (rest >= y.significand) {
      rest -= y.significand;
      quotient |= 1;
    }
    rest <<= 1;
  }
  /* Now the leading one is in bit 25: two bits below the last kept one, and a sticky one. */
  quotient = quotient << 1 | (rest != 0);
  if (exponent >= 0xFF) goto overflow;
  if (exponent <= 0) {
    int shift = 1 - exponent;
    if (shift > 27) shift = 27;
    uint32_t lost = quotient & ((1u << shift) - 1);
    quotient = quotient >> shift | (lost != 0);
    exponent = 1;
    if (!(quotient & (HIDDEN << 3))) exponent = 0;
  }
  {
    uint32_t below = quotient & 7, kept = quotient >> 3;
    if (below) raise_flag(flags, FLAG_INEXACT);
    float32 packed = ((uint32_t)exponent << 23) + (kept & (HIDDEN - 1));
    if (below > 4 || (below == 4 && (kept & 1))) packed++;
    return sign | packed;
  }

overflow:
  raise_flag(flags, FLAG_INEXACT);
  return sign | INFINITE;
invalid:
  raise_flag(flags, FLAG_INVALID);
nan:
  return DEFAULT_NAN;
}

int soft_float_div(const float32 a[COUNT], const float32 b[COUNT], float32 quotient[COUNT])
{
  int flags = 0;
  for (int i = 0; i < COUNT; i++) quotient[i] = divide(a[i], b[i], &flags);
  return flags;
}

int main(void)
{
  static const float32 a[COUNT] = {0x3F800000u, 0x40490FDBu, 0x00000001u, 0x7F7FFFFFu, 0x00000000u,
                                   0xBF800000u, 0x7F800000u, 0x00800001u, 0x00400001u, 0x3F800001u};
  static const float32 b[COUNT] = {0x40400000u, 0xC02DF854u, 0x3F000000u, 0x3DCCCCCDu, 0x80000000u,
                                   0x00000000u, 0xFF800000u, 0x40000001u, 0x00000003u, 0x7F7FFFFFu};
  float32 quotient[COUNT];
  int flags = soft_float_div(a, b, quotient);
  for (int i = 0; i < COUNT; i++) {
    union { float32 bits; float value; } x, y, z;
    x.bits = a[i], y.bits = b[i], z.value = x.value / y.value;
    if (z.value == z.value ? z.bits != quotient[i] : quotient[i] != DEFAULT_NAN) {
      printf("%d: %08x / %08x is %08x, found %08x\n", i, a[i], b[i], z.bits, quotient[i]);
      return 1;
    }
  }
  return flags != (FLAG_INVALID | FLAG_DIVIDE_BY_ZERO | FLAG_INEXACT);
}
