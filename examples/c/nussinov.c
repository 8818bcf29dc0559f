/* Pairs of a folded strand: the table is filled from its diagonal outwards. */
#include <stdio.h>

#define N 9

static int larger(int a, int b) { return a > b ? a : b; }

int nussinov(const unsigned char base[N]) {
  int table[N][N] = {{0}};
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      int best = larger(table[i][j - 1], i + 1 < N ? table[i + 1][j] : 0);
      if (i < j - 1)
        best = larger(best, table[i + 1][j - 1] + (base[i] + base[j] == 3));
      for (int k = i + 1; k < j; k++) best = larger(best, table[i][k] + table[k + 1][j]);
      table[i][j] = best;
    }
  return table[0][N - 1];
}

int main(void) {
  const unsigned char strand[N] = {2, 2, 1, 0, 3, 1, 1, 0, 3};
  printf("%d\n", nussinov(strand));
  return 0;
}
