/* The greatest common divisor by halving and subtraction, five loops. */
#include <stdio.h>

int binary_gcd(int a, int b) {
  int k = 0;
  while ((a & 1) == 0 && (b & 1) == 0) {
    a >>= 1;
    b >>= 1;
    k++;
  }
  while ((a & 1) == 0) a >>= 1;
  while (b != 0) {
    while ((b & 1) == 0) b >>= 1;
    if (a > b) {
      int t = a;
      a = b;
      b = t;
    }
    b -= a;
  }
  while (k > 0) {
    a <<= 1;
    k--;
  }
  return a;
}

int main(void) {
  printf("%d %d\n", binary_gcd(7966496, 314080416), binary_gcd(24, 36));
  return 0;
}
