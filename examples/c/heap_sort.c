/* Heap sort. */
#include <stdio.h>

#define N 13

static void sink(short a[N], int at, int end) {
  for (;;) {
    int child = 2 * at + 1;
    if (child >= end) return;
    if (child + 1 < end && a[child] < a[child + 1]) child++;
    if (a[at] >= a[child]) return;
    short t = a[at];
    a[at] = a[child];
    a[child] = t;
    at = child;
  }
}

void heap_sort(short a[N]) {
  for (int i = N / 2 - 1; i >= 0; i--) sink(a, i, N);
  for (int end = N - 1; end > 0; end--) {
    short t = a[0];
    a[0] = a[end];
    a[end] = t;
    sink(a, 0, end);
  }
}

int main(void) {
  short a[N];
  for (int i = 0; i < N; i++) a[i] = (short)(i * 5003 % 211 - 100);
  heap_sort(a);
  printf("%d %d\n", a[0], a[N - 1]);
  return 0;
}
