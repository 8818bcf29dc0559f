/* A polynomial in double precision. */
#include <stdio.h>

double horner(const double c[6], double x) {
  double sum = 0;
  for (int i = 5; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

int main(void) {
  const double c[6] = {1, -0.5, 0.25, 3, -2, 0.125};
  printf("%g %g %g\n", horner(c, 0.0), horner(c, 1.5), horner(c, -1e100));
  return 0;
}
