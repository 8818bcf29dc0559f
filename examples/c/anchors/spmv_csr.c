/* Sparse matrix times vector, rows by their first places. */
#include <stdio.h>

#define ROWS 10
#define WORDS 24

void spmv_csr(const int row[ROWS + 1], const int column[WORDS], const int value[WORDS],
              const int x[ROWS], int y[ROWS]) {
  for (int i = 0; i < ROWS; i++) {
    int sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

int main(void) {
  static const int row[ROWS + 1] = {0, 3, 5, 5, 9, 10, 13, 16, 18, 21, 24};
  static int column[WORDS], value[WORDS], x[ROWS], y[ROWS];
  for (int i = 0; i < WORDS; i++) {
    column[i] = i * 7 % ROWS;
    value[i] = i - 11;
  }
  for (int i = 0; i < ROWS; i++) x[i] = 3 * i + 1;
  spmv_csr(row, column, value, x, y);
  for (int i = 0; i < ROWS; i++) printf("%d ", y[i]);
  return 0;
}
