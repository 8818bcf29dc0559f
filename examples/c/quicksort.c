/* Quicksort with a stack of its own. */
#include <stdio.h>

#define N 16

static void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static int partition(int a[N], int low, int high) {
  int pivot = a[high], edge = low;
  for (int i = low; i < high; i++)
    if (a[i] < pivot) exchange(&a[i], &a[edge++]);
  exchange(&a[edge], &a[high]);
  return edge;
}

void quicksort(int a[N]) {
  int low[N], high[N], top = 0;
  low[0] = 0;
  high[0] = N - 1;
  while (top >= 0) {
    int l = low[top], h = high[top--];
    if (l >= h) continue;
    int middle = partition(a, l, h);
    top++;
    low[top] = l;
    high[top] = middle - 1;
    top++;
    low[top] = middle + 1;
    high[top] = h;
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 7919 % 101 - 50;
  quicksort(a);
  quicksort(a);
  printf("%d %d\n", a[0], a[N - 1]);
  return 0;
}
