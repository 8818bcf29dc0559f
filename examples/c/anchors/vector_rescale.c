/* Every element of an array times a constant, in place. */
#include <stdio.h>

#define N 1000

void vector_rescale(int a[N], int c) {
  for (int i = 0; i < N; i++) a[i] = a[i] * c;
}

int main(void) {
  static int a[N];
  for (int i = 0; i < N; i++) a[i] = i - 500;
  vector_rescale(a, 7);
  for (int i = 0; i < N; i += 41) printf("%d ", a[i]);
  return 0;
}
