/* Inverse of a number modulo another one, or 0. */
#include <stdio.h>

long extended_gcd(long a, long m) {
  long r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    long q = r0 / r1, r2 = r0 - q * r1, t2 = t0 - q * t1;
    r0 = r1;
    r1 = r2;
    t0 = t1;
    t1 = t2;
  }
  if (r0 != 1) return 0;
  return t0 < 0 ? t0 + m : t0;
}

int main(void) {
  printf("%ld %ld %ld\n", extended_gcd(17, 3120), extended_gcd(6, 9), extended_gcd(1, 2));
  return extended_gcd(17, 3120) != 2753;
}
