/* Length of a vector, scaled so that no square is too large. */
#include <math.h>
#include <stdio.h>

#define N 8

double norm(const double x[N]) {
  double scale = 0.0, sum = 1.0;
  for (int i = 0; i < N; i++) {
    double size = fabs(x[i]);
    if (size == 0.0) continue;
    if (scale < size) {
      sum = 1.0 + sum * (scale / size) * (scale / size);
      scale = size;
    } else
      sum += (size / scale) * (size / scale);
  }
  return scale * sqrt(sum);
}

int main(void) {
  double x[N] = {3e200, 0, -4e200, 0, 0, 1e199}, zero[N] = {0};
  printf("%g %g\n", norm(x), norm(zero));
  return 0;
}
