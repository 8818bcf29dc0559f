/* Greatest common divisor after Euclid. */
#include <stdio.h>

unsigned gcd(unsigned a, unsigned b) {
  while (b != 0) {
    unsigned rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

int main(void) {
  printf("%u %u %u %u\n", gcd(1071, 462), gcd(0, 5), gcd(17, 0), gcd(4000000000u, 3200000000u));
  return 0;
}
