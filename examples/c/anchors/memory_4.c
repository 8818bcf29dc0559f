/* A load behind the store of the same iteration. */
#include <stdio.h>

#define N 12

int memory_4(int a[N], int n) {
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    a[i] = n;
    sum += a[i + 1];
  }
  return sum;
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 5 % 7;
  printf("%d\n", memory_4(a, 3));
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
