/* Sums of single-precision floats in integers alone: rounding to nearest, ties to even. */
#include <stdint.h>
#include "check.h"

#define COUNT 8
#define SIGN(x) ((x) >> 31)
#define EXPONENT(x) ((int)((x) >> 23 & 0xFF))
#define FRACTION(x) ((x) & 0x7FFFFFu)
#define PACK(s, e, f) (((uint32_t)(s) << 31) + ((uint32_t)(e) << 23) + (f))
#define NAN_DEFAULT 0x7FC00000u

typedef uint32_t bits32;

static bits32 shift_right_sticky(bits32 x, int count)
{
  if (count == 0) return x;
  if (count >= 32) return x != 0;
  return x >> count | ((x << (32 - count)) != 0);
}

static bits32 round_and_pack(unsigned sign, int exponent, bits32 significand)
{
  /* The significand has its leading one in bit 30, seven bits below the last kept one. */
  if (exponent <= 0) {
    significand = shift_right_sticky(significand, 1 - exponent);
    exponent = 0;
  } else {
    exponent--;  /* the leading one adds to it */
  }
  bits32 round = significand & 0x7F;
  significand = (significand + 0x40) >> 7;
  if (round == 0x40) significand &= ~1u;
  bits32 packed = PACK(sign, exponent, significand);
  return EXPONENT(packed) == 0xFF ? PACK(sign, 0xFF, 0) : packed;
}

static bits32 add(bits32 a, bits32 b)
{
  if ((b & 0x7FFFFFFFu) > (a & 0x7FFFFFFFu)) {
    bits32 t = a;
    a = b;
    b = t;
  }
  int exponent_a = EXPONENT(a), exponent_b = EXPONENT(b);
  if (exponent_a == 0xFF) {
    if (FRACTION(a)) return NAN_DEFAULT;
    if (exponent_b == 0xFF && SIGN(a) != SIGN(b)) return NAN_DEFAULT;
    return a;
  }
  bits32 large = (FRACTION(a) | (exponent_a ? 0x800000u : 0)) << 6;
  bits32 small = (FRACTION(b) | (exponent_b ? 0x800000u : 0)) << 6;
  if (!exponent_a) exponent_a = 1;
  if (!exponent_b) exponent_b = 1;
  small = shift_right_sticky(small, exponent_a - exponent_b);
  bits32 sum = SIGN(a) == SIGN(b) ? large + small : large - small;
  if (sum == 0) return SIGN(a) == SIGN(b) ? a & 0x80000000u : 0;
  exponent_a++;
normalize:
  while (!(sum & 0x40000000u)) {
    sum <<= 1;
    exponent_a--;
  }
  return round_and_pack(SIGN(a), exponent_a, sum);
}

void soft_float_add(const bits32 a[COUNT], const bits32 b[COUNT], bits32 sum[COUNT])
{
  for (int i = 0; i < COUNT; i++) sum[i] = add(a[i], b[i]);
}

int main(void)
{
  static const bits32 a[COUNT] = {0x3F800000u, 0x40490FDBu, 0x00000001u, 0x7F7FFFFFu,
                                  0x3F800001u, 0xBF800000u, 0x7F800000u, 0x33800000u};
  static const bits32 b[COUNT] = {0x40000000u, 0xC02DF854u, 0x807FFFFFu, 0x7F7FFFFFu,
                                  0xBF800000u, 0x3F800000u, 0xFF800000u, 0x3F800001u};
  bits32 sum[COUNT];
  soft_float_add(a, b, sum);
  for (int i = 0; i < COUNT; i++) {
    union { bits32 bits; float value; } x, y, z;
    x.bits = a[i], y.bits = b[i], z.value = x.value + y.value;
    if (z.value == z.value && z.bits != sum[i]) return 1;
  }
  return sum[6] != NAN_DEFAULT;
}
