/* The most pairs of bases of a strand that nest, and one way to have them. */
#include <string.h>
#include "check.h"

#define N 12
typedef char base;
#define match(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1 >= s2) ? s1 : s2)

typedef struct { short low, high; } span;

int nussinov_pairs(base seq[N], char pair[N])
{
  int table[N][N];
  span stack[2 * N], *top = stack;
  int i, j, k, found = 0;

  memset(table, 0, sizeof table);
#pragma scop
  for (i = N - 1; i >= 0; i--) {
    for (j = i + 1; j < N; j++) {
      if (j - 1 >= 0) table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < N) table[i][j] = max_score(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        if (i < j - 1)
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
        else
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
      }
      for (k = i + 1; k < j; k++)
        table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
#pragma endscop

  memset(pair, '.', N);
  *top++ = (span){0, N - 1};
back:
  while (top != stack) {
    span now = *--top;
    i = now.low, j = now.high;
    if (i >= j) continue;
    if (table[i][j] == table[i + 1][j]) {
      *top++ = (span){.low = (short)(i + 1), .high = (short)j};
      continue;
    }
    if (i < j - 1 && match(seq[i], seq[j]) && table[i][j] == table[i + 1][j - 1] + 1) {
      pair[i] = '(', pair[j] = ')';
      found++;
      *top++ = (span){(short)(i + 1), (short)(j - 1)};
      continue;
    }
    for (k = i + 1; k < j; k++)
      if (table[i][j] == table[i][k] + table[k + 1][j]) {
        *top++ = (span){(short)i, (short)k};
        *top++ = (span){(short)(k + 1), (short)j};
        goto back;
      }
    *top++ = (span){(short)i, (short)(j - 1)};
  }
  return table[0][N - 1] == found ? found : -found;
}

int main(void)
{
  base seq[N];
  char pair[N];
  for (int i = 0; i < N; i++) seq[i] = (base)((i * 5 + 1) % 4);
  int found = nussinov_pairs(seq, pair);
  printf("%.*s %d\n", N, pair, found);
  return found <= 0;
}
