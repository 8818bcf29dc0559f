/* Matrix times vector, 100 x 100, the row sum in a register. */
#include <stdio.h>

#define N 100

void matvec_100(const int m[N][N], const int v[N], int out[N]) {
  for (int i = 0; i < N; i++) {
    int sum = 0;
    for (int j = 0; j < N; j++) sum += m[i][j] * v[j];
    out[i] = sum;
  }
}

int main(void) {
  static int m[N][N], v[N], out[N];
  for (int i = 0; i < N; i++) {
    v[i] = i % 13 - 6;
    for (int j = 0; j < N; j++) m[i][j] = (i * 31 + j * 17) % 101 - 50;
  }
  matvec_100(m, v, out);
  for (int i = 0; i < N; i++) printf("%d ", out[i]);
  return 0;
}
