/* Factors of a matrix with partial pivoting; rows are exchanged through a permutation. */
#include <math.h>
#include "sizes.h"
#include "check.h"

#define ORDER NI
#define AT(i, j) a[row[i]][j]

int lu_pivot(float a[ORDER][ORDER], int row[ORDER])
{
  int sign = 1;
  LOOP(i, ORDER) row[i] = i;
  for (int k = 0; k < ORDER - 1; k++) {
    int best = k;
    for (int i = k + 1; i < ORDER; i++)
      if (fabsf(AT(i, k)) > fabsf(AT(best, k))) best = i;
    if (AT(best, k) == 0.0f) return 0;
    if (best != k) {
      int t = row[k];
      row[k] = row[best], row[best] = t;
      sign = -sign;
    }
    for (int i = k + 1; i < ORDER; i++) {
      float factor = AT(i, k) / AT(k, k);
      AT(i, k) = factor;
      for (int j = k + 1; j < ORDER; j++) AT(i, j) -= factor * AT(k, j);
    }
  }
  return sign;
}

int main(void)
{
  float a[ORDER][ORDER];
  int row[ORDER];
  LOOP(i, ORDER) LOOP(j, ORDER) a[i][j] = (float)((i * i * 5 + j * 3 + i * j * j) % 13) - 4.5f;
  return lu_pivot(a, row) == 0;
}
