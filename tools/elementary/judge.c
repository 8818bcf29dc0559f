/* Holds FUNCTION of float patterns (`computed`) against the host's one of double (`HOST`).

   Arguments: first pattern, number of patterns, step. Prints: patterns, patterns without a number
   to compare by distance, of these the wrong ones, results that are not the nearest, the largest
   distance in units in the last place, and a pattern with it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float number_of(uint32_t bits)
{
  float found;
  memcpy(&found, &bits, sizeof found);
  return found;
}

static uint32_t pattern_of(float number)
{
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

int main(int count, char **words)
{
  if (count != 4) return 2;
  uint64_t first = strtoull(words[1], 0, 0), most = strtoull(words[2], 0, 0);
  uint64_t step = strtoull(words[3], 0, 0), special = 0, wrong = 0, other = 0, done = 0;
  double worst = 0;
  uint32_t at = 0;
  for (uint64_t next = first; done < most; next += step, done++) {
    uint32_t pattern = (uint32_t)next, found = (uint32_t)computed(pattern);
    double exact = HOST((double)number_of(pattern));
    float nearest = (float)exact;
    if (isnan(exact) || isinf(nearest) || nearest == 0 || isinf(number_of(found))) {
      uint32_t due = isnan(exact) ? 0x7FC00000u : pattern_of(nearest);
      special++;
      wrong += found != due;
      continue;
    }
    other += found != pattern_of(nearest);
    int exponent;
    frexp(exact, &exponent);
    if (exponent < -125) exponent = -125;
    double distance = fabs((double)number_of(found) - exact) * ldexp(1, 24 - exponent);
    if (!(distance <= worst)) worst = distance, at = pattern;
  }
  printf("%llu %llu %llu %llu %.6f %u\n", (unsigned long long)done, (unsigned long long)special,
         (unsigned long long)wrong, (unsigned long long)other, worst, at);
  return 0;
}
