/* Transpose of a square matrix in place. */
#include <stdio.h>

#define N 8

void transpose(short a[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++) {
      short t = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = t;
    }
}

int main(void) {
  short a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = (short)(10 * i + j);
  transpose(a);
  printf("%d %d\n", a[0][7], a[7][0]);
  return 0;
}
