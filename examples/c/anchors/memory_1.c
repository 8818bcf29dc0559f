/* In place: no iteration touches another's element. */
#include <stdio.h>

#define N 12

void memory_1(int a[N]) {
  for (int i = 0; i < 10; i++) {
    a[i] = a[i] + 5;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 5 % 7;
  memory_1(a);
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
