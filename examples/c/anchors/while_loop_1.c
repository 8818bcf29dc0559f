/* A sum along two arrays until it passes a bound. */
#include <stdio.h>

#define N 1000

int while_loop_1(const int a[N], const int b[N], int bound) {
  int i = 0, sum = 0;
  while (sum < bound && i < N) {
    sum += a[i] * b[i];
    i++;
  }
  return sum;
}

int main(void) {
  static int a[N], b[N];
  for (int i = 0; i < N; i++) {
    a[i] = i % 5;
    b[i] = i % 7;
  }
  printf("%d\n", while_loop_1(a, b, 5400));
  return 0;
}
