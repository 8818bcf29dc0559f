/* The sum of the multiples by five that exceed ten. */
#include <stdio.h>

#define N 100

int if_loop_1(const int a[N]) {
  int sum = 0;
  for (int i = 0; i < N; i++) {
    int tmp = a[i] * 5;
    if (tmp > 10) sum += tmp;
  }
  return sum;
}

int main(void) {
  static int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 7 % 9 - 3;
  printf("%d\n", if_loop_1(a));
  return 0;
}
