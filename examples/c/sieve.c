/* Primes below a bound, by crossing out. */
#include <stdbool.h>
#include <stdio.h>

#define N 50

int sieve(bool composite[N]) {
  int primes = 0;
  for (int i = 0; i < N; i++) composite[i] = i < 2;
  for (int p = 2; p < N; p++) {
    if (composite[p]) continue;
    primes++;
    for (int k = p * p; k < N; k += p) composite[k] = true;
  }
  return primes;
}

int main(void) {
  bool composite[N] = {false};
  printf("%d\n", sieve(composite));
  return sieve(composite) != 15;
}
