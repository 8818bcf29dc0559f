/* A search in a table that ends by a goto out of two loops, with counts of what was seen. */
#include "check.h"

#define ROWS 6
#define COLUMNS 9
#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)

typedef struct { int row, column; } position;

static position find(const int table[ROWS][COLUMNS], int key, int *seen)
{
  position at = (position){-1, -1};
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      ++*seen;
      if (table[r][c] == key) {
        at = (position){.row = r, .column = c};
        goto found;
      }
    }
  puts("not found");
found:
  return at;
}

int search_2d(int table[ROWS][COLUMNS], int key)
{
  int seen = 0;
  position at = find(table, key, &seen);
  if (at.row < 0) goto none;
  SWAP(table[at.row][at.column], table[0][0]);
  return seen;
none:
  return -seen;
}

int main(void)
{
  int table[ROWS][COLUMNS], sum = 0;
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) table[r][c] = (r * 17 + c * 5) % 64;
  for (int key = 0; key < 70; key += 7) sum += search_2d(table, key);
  return sum == 0;
}
