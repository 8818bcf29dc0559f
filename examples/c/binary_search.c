/* Position of a value in a sorted array, or where it would stand. */
#include <stdio.h>

#define N 20

int binary_search(const long a[N], long wanted) {
  int low = 0, high = N - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    if (a[middle] == wanted) return middle;
    if (a[middle] < wanted)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1 - low;
}

int main(void) {
  long a[N];
  for (int i = 0; i < N; i++) a[i] = (long)i * i - 30;
  printf("%d %d %d %d\n", binary_search(a, -30), binary_search(a, 70), binary_search(a, 71),
         binary_search(a, 1000));
  return 0;
}
