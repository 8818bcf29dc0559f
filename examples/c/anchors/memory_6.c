/* Each word from the second before it. */
#include <stdio.h>

#define N 12

void memory_6(int a[N], int n) {
  for (int i = 0; i < 10; i++) {
    a[i + 2] = a[i] + n;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 5 % 7;
  memory_6(a, 3);
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
