/* The two products of the biconjugate gradient, 30 x 30, sums in memory. */
#include <stdio.h>

#define N 30

void bicg_30(const int a[N][N], int s[N], int q[N], const int p[N], const int r[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      s[j] = s[j] + a[i][j] * r[i];
      q[i] = q[i] + a[i][j] * p[j];
    }
}

int main(void) {
  static int a[N][N], s[N], q[N], p[N], r[N];
  for (int i = 0; i < N; i++) {
    p[i] = i % 7;
    r[i] = i % 5 - 2;
    for (int j = 0; j < N; j++) a[i][j] = (i * 3 + j * 11) % 29 - 14;
  }
  bicg_30(a, s, q, p, r);
  for (int i = 0; i < N; i++) printf("%d %d ", s[i], q[i]);
  return 0;
}
