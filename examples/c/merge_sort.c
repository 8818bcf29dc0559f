/* Merge sort from below, in an array beside the other. */
#include <stdio.h>

#define N 16

static int least(int a, int b) { return a < b ? a : b; }

void merge_sort(int a[N]) {
  int b[N];
  for (int width = 1; width < N; width *= 2) {
    for (int left = 0; left < N; left += 2 * width) {
      int middle = least(left + width, N), right = least(left + 2 * width, N);
      int i = left, j = middle;
      for (int k = left; k < right; k++)
        b[k] = i < middle && (j >= right || a[i] <= a[j]) ? a[i++] : a[j++];
    }
    for (int k = 0; k < N; k++) a[k] = b[k];
  }
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = (i * 37 + 11) % 64;
  merge_sort(a);
  printf("%d %d\n", a[0], a[N - 1]);
  return 0;
}
