/* Changes that make one word of another. */
#include <stdint.h>
#include <stdio.h>

#define N 8

static int least(int a, int b) { return a < b ? a : b; }

int levenshtein(const char a[N], const char b[N], int m, int n) {
  int row[N + 1];
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; i <= m; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int above = row[j];
      int changed = corner + (a[i - 1] != b[j - 1]);
      row[j] = least(changed, least(above, row[j - 1]) + 1);
      corner = above;
    }
  }
  return row[n];
}

int main(void) {
  printf("%d %d\n", levenshtein((char[N]){"kitten"}, (char[N]){"sitting"}, 6, 7),
         levenshtein((char[N]){"loom"}, (char[N]){""}, 4, 0));
  return 0;
}
