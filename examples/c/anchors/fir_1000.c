/* Dot product of samples with reversed coefficients, 1000 taps. */
#include <stdio.h>

#define N 1000

int fir_1000(const int di[N], const int idx[N]) {
  int sum = 0;
  for (int i = 0; i < N; i++) sum += di[i] * idx[N - 1 - i];
  return sum;
}

int main(void) {
  static int di[N], idx[N];
  for (int i = 0; i < N; i++) {
    di[i] = i * 37 % 201 - 100;
    idx[i] = i * 53 % 101 - 50;
  }
  printf("%d\n", fir_1000(di, idx));
  return 0;
}
