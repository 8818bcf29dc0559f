/* Dot product of two vectors. */
#include <stdio.h>

#define N 32

int dot(const int a[N], const int b[N], int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

int main(void) {
  int a[N], b[N];
  for (int i = 0; i < N; i++) {
    a[i] = i * i - 40;
    b[i] = 7 - 3 * i;
  }
  for (int n = 0; n <= N; n += 8) printf("%d\n", dot(a, b, n));
  return 0;
}
