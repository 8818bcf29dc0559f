/* Position of the first element of a value, or -1. */
#include <stdio.h>

int linear_search(const short a[24], int n, short wanted) {
  int i;
  for (i = 0; i < n; i++)
    if (a[i] == wanted) break;
  return i < n ? i : -1;
}

int main(void) {
  short a[24];
  for (int i = 0; i < 24; i++) a[i] = (short)(i * i % 17);
  printf("%d %d %d %d\n", linear_search(a, 24, 0), linear_search(a, 24, 13),
         linear_search(a, 24, 3), linear_search(a, 0, 0));
  return 0;
}
