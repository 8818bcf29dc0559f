/* Bubble sort that stops when nothing was exchanged. */
#include <stdbool.h>
#include <stdio.h>

#define N 10

static void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

int bubble_sort(int a[N]) {
  int rounds = 0;
  for (int end = N - 1; end > 0; end--) {
    bool changed = false;
    rounds++;
    for (int i = 0; i < end; i++)
      if (a[i] > a[i + 1]) {
        exchange(&a[i], &a[i + 1]);
        changed = true;
      }
    if (!changed) break;
  }
  return rounds;
}

int main(void) {
  int random[N] = {5, -3, 99, 0, 7, 7, -120, 31, 4, 2}, sorted[N], reversed[N];
  for (int i = 0; i < N; i++) {
    sorted[i] = i;
    reversed[i] = -i;
  }
  printf("%d %d %d\n", bubble_sort(random), bubble_sort(sorted), bubble_sort(reversed));
  return 0;
}
