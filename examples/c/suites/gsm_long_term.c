/* The lag and gain of a long-term predictor, as speech coders of 13 kbit/s have them. */
#include <stdint.h>
#include <string.h>
#include "check.h"

#define FRAME 20
#define HISTORY 40
#define LEAST_LAG 20
#define GSM_MULT(a, b) ((word)(((longword)(a) * (longword)(b)) >> 15))
#define GSM_ADD(a, b) \
  ((ltmp = (longword)(a) + (longword)(b)) >= MAX_WORD ? MAX_WORD : ltmp <= MIN_WORD ? MIN_WORD : ltmp)
#define MIN_WORD (-32768)
#define MAX_WORD 32767

typedef int16_t word;
typedef int32_t longword;

static const word decision_levels[4] = {6554, 16384, 26214, 32767};
static const word gains[4] = {3277, 11469, 21299, 32767};
static const unsigned char bit_offset[16] = {4, 3, 2, 2, 1, 1, 1, 1};

/* How far the number may be shifted to the left. */
static word norm(longword a)
{
  assert(a != 0);
  if (a < 0) {
    if (a <= -1073741824) return 0;
    a = ~a;
  }
  int count = -1;
  while (a <= 0x07FFFFFF) a <<= 4, count += 4;
  return (word)(count + bit_offset[a >> 27]);
}

static void find_lag(const word *d, const word *dp, word *gain_code, word *lag)
{
  register int k, lambda;
  word scaled[FRAME], most = 0, scale, temp;
  longword best = 0, power = 0, level;

  for (k = 0; k < FRAME; k++) {
    temp = d[k];
    temp = temp < 0 ? (temp == MIN_WORD ? MAX_WORD : -temp) : temp;
    if (temp > most) most = temp;
  }
  temp = most == 0 ? 0 : norm((longword)most << 16);
  scale = temp > 6 ? 0 : 6 - temp;
  for (k = 0; k < FRAME; k++) scaled[k] = d[k] >> scale;

  *lag = LEAST_LAG;
  for (lambda = LEAST_LAG; lambda <= HISTORY; lambda++) {
#undef STEP
#define STEP(K) (longword)scaled[K] * dp[(K) - lambda]
    register longword result = STEP(0);
    for (k = 1; k < FRAME; k++) result += STEP(k);
    if (result > best) *lag = lambda, best = result;
  }
  best <<= 1;
  best = best >> (6 - scale);

  for (k = 0; k < FRAME; k++) {
    register longword one = dp[k - *lag] >> 3;
    power += one * one;
  }
  power <<= 1;

  if (best <= 0) {
    *gain_code = 0;
    return;
  }
  if (best >= power) {
    *gain_code = 3;
    return;
  }
  temp = norm(power);
  level = (word)((best << temp) >> 16);
  for (*gain_code = 0; *gain_code <= 2; ++*gain_code)
    if (level <= GSM_MULT((word)((power << temp) >> 16), decision_levels[*gain_code])) break;
}

void gsm_long_term(word d[FRAME], word past[HISTORY + FRAME], word e[FRAME], word code[2])
{
  word *dp = past + HISTORY, gain, *dpp = dp;
  longword ltmp;
  find_lag(d, dp, &code[0], code + 1);
  gain = gains[code[0]];
  for (int k = 0; k < FRAME; k++) {
    dpp[k] = (word)((GSM_MULT(gain, dp[k - code[1]]) * 2 + 1) >> 1);
    e[k] = GSM_ADD(d[k], -dpp[k]);
  }
  memmove(past, past + FRAME, HISTORY * sizeof *past);
}

int main(void)
{
  static word d[FRAME], past[HISTORY + FRAME], e[FRAME], code[2];
  int sum = 0;
  for (int frame = 0; frame < 3; frame++) {
    for (int k = 0; k < FRAME; k++) d[k] = (word)((k * 7 + frame) % 23 * 900 - 9000);
    gsm_long_term(d, past, e, code);
    for (int k = 0; k < FRAME; k++) past[HISTORY - FRAME + k] = d[k], sum += e[k];
  }
  return code[1] < LEAST_LAG || sum == 0;
}
