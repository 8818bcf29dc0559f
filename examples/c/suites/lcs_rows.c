/* The longest common subsequence of two strings with two rows of the table instead of all. */
#include <string.h>
#include "check.h"

#define MOST 20
#define MAX(a, b) ((a) > (b) ? (a) : (b))

int lcs_rows(const char first[MOST], const char second[MOST])
{
  int rows[2][MOST + 1], *above = rows[0], *here = rows[1], width = 0;
  while (width < MOST && second[width]) width++;
  memset(above, 0, sizeof rows[0]);
letters:
  for (const char *p = first; p < first + MOST && *p != '\0'; p++) {
    here[0] = 0;
    for (int j = 1; j <= width; j++)
      here[j] = *p == second[j - 1] ? above[j - 1] + 1 : MAX(above[j], here[j - 1]);
    int *swap = above;
    above = here;
    here = swap;
  }
  TRACE("length %d\n", above[width]);
  return above[width];
}

int main(void)
{
  char first[MOST] = "elastic circuits", second[MOST] = "static schedule";
  return lcs_rows(first, second) != 7;
}
