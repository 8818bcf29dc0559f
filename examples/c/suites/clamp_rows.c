/* Float rows that are clamped, with fmin and fmax, and a norm that is asserted. */
#include <math.h>
#include "check.h"
#include "sizes.h"

typedef struct { float low, high; float scale[NK]; } limits;

float clamp_rows(float rows[NI][NK], float low, float high)
{
  limits given = {.low = low, .high = high}, kept;
  float worst = 0.0f;
  LOOP(k, NK) given.scale[k] = 1.0f + 0.25f * (float)k;
  kept = given;
  LOOP(i, NI) LOOP(k, NK) {
    float value = fmaxf(kept.low, fminf(rows[i][k] * kept.scale[k], kept.high));
    worst = fmaxf(worst, fabsf(value - rows[i][k]));
    rows[i][k] = copysignf(value, rows[i][k]);
  }
  assert(worst >= 0.0f);
  TRACE("worst %f\n", worst);
  return worst;
}

int main(void)
{
  float rows[NI][NK];
  LOOP(i, NI) LOOP(k, NK) rows[i][k] = (float)(i * 3 - k) * 0.75f;
  return clamp_rows(rows, -2.0f, 6.5f) < 0;
}
