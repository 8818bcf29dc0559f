/* Steps to 1. */
#include <stdio.h>

int collatz(unsigned long n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

int main(void) {
  printf("%d %d %d\n", collatz(1), collatz(27), collatz(97));
  return collatz(27) != 111;
}
