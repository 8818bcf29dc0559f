/* Each word from the one before it, which is new. */
#include <stdio.h>

#define N 12

void memory_5(int a[N], int n) {
  for (int i = 0; i < 10; i++) {
    a[i + 1] = a[i] + n;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 5 % 7;
  memory_5(a, 3);
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
