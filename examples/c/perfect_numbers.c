/* Numbers up to a bound that are the sum of their divisors. */
#include <stdio.h>

int perfect_numbers(int bound, int found[4]) {
  int count = 0;
  for (int n = 2; n <= bound && count < 4; n++) {
    int sum = 1;
    for (int d = 2; d * d <= n; d++)
      if (n % d == 0) {
        sum += d;
        if (d != n / d) sum += n / d;
      }
    if (sum == n) found[count++] = n;
  }
  return count;
}

int main(void) {
  int found[4] = {0};
  printf("%d %d\n", perfect_numbers(5, found), perfect_numbers(30, found));
  return 0;
}
