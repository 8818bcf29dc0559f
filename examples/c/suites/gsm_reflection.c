/* Reflection coefficients of a frame by saturated 16-bit arithmetic, as speech coders have it. */
#include <stdint.h>
#include "check.h"

typedef int16_t word;
typedef int32_t longword;
#define MIN_WORD (-32767 - 1)
#define MAX_WORD 32767
#define SATURATE(x) ((x) < MIN_WORD ? MIN_WORD : (x) > MAX_WORD ? MAX_WORD : (x))
#define SAMPLES 32
#define ORDER 4

static inline word add_sat(word a, word b) { longword s = (longword)a + b; return SATURATE(s); }
static inline word mult_r(word a, word b)
{
  if (a == MIN_WORD && b == MIN_WORD) return MAX_WORD;
  longword p = ((longword)a * (longword)b + 16384) >> 15;
  return (word)p;
}
static word abs_sat(word a) { return a < 0 ? (a == MIN_WORD ? MAX_WORD : -a) : a; }

static word div_16(word num, word denum)
{
  longword rest = num;
  word div = 0;
  int k = 15;
  if (num == 0) return 0;
  while (k--) {
    div <<= 1;
    rest <<= 1;
    if (rest >= denum) { rest -= denum; div++; }
  }
  return div;
}

void gsm_reflection(const word s[SAMPLES], word r[ORDER])
{
  longword acf[ORDER + 1];
  word p[ORDER + 1], k[ORDER + 1];
  for (int lag = 0; lag <= ORDER; lag++) {
    longword sum = 0;
    for (int i = lag; i < SAMPLES; i++) sum += (longword)(s[i] >> 3) * (s[i - lag] >> 3);
    acf[lag] = sum;
  }
  if (acf[0] == 0) {
    for (int i = ORDER; i--; *r++ = 0) ;
    return;
  }
  int shift = 0;
  while ((acf[0] << shift) < 0x40000000) shift++;
  for (int i = 0; i <= ORDER; i++) p[i] = k[i] = (word)((acf[i] << shift) >> 16);
  for (int n = 1; n <= ORDER; n++, r++) {
    word temp = abs_sat(p[1]);
    if (p[0] < temp) {
      for (int i = n; i <= ORDER; i++) *r++ = 0;
      return;
    }
    *r = div_16(temp, p[0]);
    if (p[1] > 0) *r = -*r;
    if (n == ORDER) return;
    p[0] = add_sat(p[0], mult_r(p[1], *r));
    for (int m = 1; m <= ORDER - n; m++) {
      p[m] = add_sat(p[m + 1], mult_r(k[m], *r));
      k[m] = add_sat(k[m], mult_r(p[m + 1], *r));
    }
  }
}

int main(void)
{
  word s[SAMPLES], r[ORDER];
  for (int i = 0; i < SAMPLES; i++) s[i] = (word)(((i * 2741) ^ (i << 9)) & 0x3fff) - 4000;
  gsm_reflection(s, r);
  for (int i = 0; i < SAMPLES; i++) s[i] = 0;
  gsm_reflection(s, r);
  return r[0];
}
