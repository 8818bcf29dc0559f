/* Square root by Newton's iteration, until it is near enough. */
#include <math.h>
#include <stdio.h>

int newton_sqrt(float a, float root[1]) {
  float x = a > 1.0f ? a : 1.0f;
  int turns = 0;
  while (fabsf(x * x - a) > 1e-5f * a && turns < 30) {
    x = 0.5f * (x + a / x);
    turns++;
  }
  root[0] = x;
  return turns;
}

int main(void) {
  float root[1] = {0};
  printf("%d ", newton_sqrt(2.0f, root));
  printf("%d ", newton_sqrt(1e6f, root));
  printf("%d %g\n", newton_sqrt(0.25f, root), root[0]);
  return 0;
}
