/* Two products of one matrix: s = transposed A times r, q = A times p. */
#include <stdio.h>

#define N 6

void bicg(const int a[N][N], const int r[N], const int p[N], int s[N], int q[N]) {
  for (int j = 0; j < N; j++) s[j] = 0;
  for (int i = 0; i < N; i++) {
    q[i] = 0;
    for (int j = 0; j < N; j++) {
      s[j] += r[i] * a[i][j];
      q[i] += a[i][j] * p[j];
    }
  }
}

int main(void) {
  int a[N][N], r[N], p[N], s[N], q[N];
  for (int i = 0; i < N; i++) {
    r[i] = i - 2;
    p[i] = 3 * i + 1;
    for (int j = 0; j < N; j++) a[i][j] = i * j - 4;
  }
  bicg(a, r, p, s, q);
  printf("%d %d\n", s[1], q[N - 1]);
  return 0;
}
