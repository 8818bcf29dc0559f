/* Length of the longest common subsequence. */
#include <stdio.h>

#define N 10

int lcs(const char a[N], const char b[N]) {
  int length[N + 1][N + 1] = {{0}};
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) {
      if (a[i - 1] == b[j - 1])
        length[i][j] = length[i - 1][j - 1] + 1;
      else
        length[i][j] = length[i - 1][j] > length[i][j - 1] ? length[i - 1][j] : length[i][j - 1];
    }
  return length[N][N];
}

int main(void) {
  const char a[N] = {'c', 'i', 'r', 'c', 'u', 'i', 't', 'r', 'y', '!'};
  const char b[N] = {'d', 'i', 's', 'c', 'u', 's', 's', 't', 'r', '!'};
  printf("%d\n", lcs(a, b));
  return 0;
}
