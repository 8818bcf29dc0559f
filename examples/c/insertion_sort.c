/* Insertion sort of bytes. */
#include <stdint.h>
#include <stdio.h>

#define N 14

void insertion_sort(uint8_t a[N], int n) {
  for (int i = 1; i < n; i++) {
    uint8_t held = a[i];
    int j = i - 1;
    while (j >= 0 && a[j] > held) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = held;
  }
}

int main(void) {
  uint8_t a[N];
  for (int i = 0; i < N; i++) a[i] = (uint8_t)(i * 67 + 200);
  insertion_sort(a, 0);
  insertion_sort(a, 6);
  insertion_sort(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
  return 0;
}
