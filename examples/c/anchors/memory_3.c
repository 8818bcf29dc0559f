/* A store under a condition. */
#include <stdio.h>

#define N 12

void memory_3(int a[N], int n) {
  for (int i = 0; i < 10; i++) {
    if (a[i] == n) a[i] = 0;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 5 % 7;
  memory_3(a, 3);
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
