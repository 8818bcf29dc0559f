/* Words that depend on words some places before, the distance known only in the run. */
#include <stdio.h>

#define N 24

void recurrence(int a[N], int distance) {
  for (int i = distance; i < N; i++) a[i] += 2 * a[i - distance];
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i - 7;
  recurrence(a, 1);
  recurrence(a, 5);
  recurrence(a, 0);
  recurrence(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
  return 0;
}
