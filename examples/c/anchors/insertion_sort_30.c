/* Insertion sort of 30 elements. */
#include <stdio.h>

#define N 30

void insertion_sort_30(int a[N]) {
  for (int i = 1; i < N; i++) {
    int x = a[i], j = i;
    while (j > 0 && a[j - 1] > x) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = x;
  }
}

int main(void) {
  static int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 17 % 31;
  insertion_sort_30(a);
  for (int i = 0; i < N; i++) printf("%d ", a[i]);
  return 0;
}
