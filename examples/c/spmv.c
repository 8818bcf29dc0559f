/* Sparse matrix in rows times a vector: bounds and positions come from memory. */
#include <stdio.h>

#define ROWS 6
#define WORDS 12

void spmv(const int begin[ROWS + 1], const int column[WORDS], const int value[WORDS],
          const int x[ROWS], int y[ROWS]) {
  for (int r = 0; r < ROWS; r++) {
    int sum = 0;
    for (int k = begin[r]; k < begin[r + 1]; k++) sum += value[k] * x[column[k]];
    y[r] = sum;
  }
}

int main(void) {
  const int begin[ROWS + 1] = {0, 2, 2, 5, 8, 9, 12};
  const int column[WORDS] = {0, 3, 1, 2, 5, 0, 4, 5, 3, 1, 2, 4};
  int value[WORDS], x[ROWS], y[ROWS] = {0};
  for (int k = 0; k < WORDS; k++) value[k] = 7 * k - 30;
  for (int r = 0; r < ROWS; r++) x[r] = r * r + 1;
  spmv(begin, column, value, x, y);
  printf("%d %d\n", y[0], y[ROWS - 1]);
  return 0;
}
