/* The product of two doubles by integers, rounded to nearest even, as libraries without an FPU do. */
#include <stdint.h>
#include <string.h>
#include "check.h"

typedef uint64_t float64;
#define SIGN(x) ((int)((x) >> 63))
#define EXPONENT(x) ((int)((x) >> 52 & 0x7ff))
#define FRACTION(x) ((x) & 0xfffffffffffffULL)
#define PACK(s, e, f) (((uint64_t)(s) << 63) + ((uint64_t)(e) << 52) + (f))
#define QUIET 0x7ff8000000000000ULL

static void multiply_64(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
  uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
  uint64_t middle = ah * bl, other = al * bh, bottom = al * bl, top = ah * bh;
  middle += other;
  top += ((uint64_t)(middle < other) << 32) + (middle >> 32);
  middle <<= 32;
  bottom += middle;
  top += bottom < middle;
  *high = top;
  *low = bottom;
}

static float64 round_and_pack(int sign, int exponent, uint64_t fraction)
{
  int bits = (int)(fraction & 0x3ff);
  if (exponent >= 0x7fd) return PACK(sign, 0x7ff, 0);
  if (exponent < 0) return PACK(sign, 0, 0);
  fraction = (fraction + 0x200) >> 10;
  fraction &= ~(uint64_t)((bits ^ 0x200) == 0 & 1);
  return PACK(sign, exponent, fraction);
}

float64 soft_float_mul(float64 a, float64 b)
{
  int sign = SIGN(a) ^ SIGN(b), ea = EXPONENT(a), eb = EXPONENT(b);
  uint64_t fa = FRACTION(a), fb = FRACTION(b), high, low;
  if (ea == 0x7ff || eb == 0x7ff) {
    if ((ea == 0x7ff && fa) || (eb == 0x7ff && fb)) return QUIET;
    if ((ea | fa) == 0 || (eb | fb) == 0) return QUIET;
    return PACK(sign, 0x7ff, 0);
  }
  if (ea == 0 || eb == 0) return PACK(sign, 0, 0);
  int exponent = ea + eb - 0x3ff;
  fa = (fa | 0x10000000000000ULL) << 10;
  fb = (fb | 0x10000000000000ULL) << 11;
  multiply_64(fa, fb, &high, &low);
  high |= low != 0;
  if ((int64_t)(high << 1) >= 0) {
    high <<= 1;
    --exponent;
  }
  return round_and_pack(sign, exponent, high);
}

static float64 bits_of(double x)
{
  float64 bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

int main(void)
{
  static const double tests[8] = {1.5, -2.25, 3e100, 1.0 / 3, -7e-200, 1e300, 0.0, 4.9};
  for (int i = 0; i < 8; i++)
    for (int j = i; j < 8; j += 2) {
      double product = tests[i] * tests[j];
      if (product != 0 && product < 1e-307 && product > -1e-307) continue;
      if (soft_float_mul(bits_of(tests[i]), bits_of(tests[j])) != bits_of(product)) return 1;
    }
  return 0;
}
