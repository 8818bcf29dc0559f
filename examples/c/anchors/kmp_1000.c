/* Knuth-Morris-Pratt over 1000 characters, with the failure table made first. */
#include <stdio.h>

#define M 4
#define N 1000

int kmp_1000(const char pattern[M], const char text[N]) {
  int next[M];
  int k = 0, q = 0, matches = 0;
  next[0] = 0;
  for (int i = 1; i < M; i++) {
    while (k > 0 && pattern[k] != pattern[i]) k = next[k - 1];
    if (pattern[k] == pattern[i]) k++;
    next[i] = k;
  }
  for (int i = 0; i < N; i++) {
    while (q > 0 && pattern[q] != text[i]) q = next[q - 1];
    if (pattern[q] == text[i]) q++;
    if (q >= M) {
      matches++;
      q = next[q - 1];
    }
  }
  return matches;
}

int main(void) {
  static char text[N];
  for (int i = 0; i < N; i++) text[i] = "ababcabab"[i % 9];
  printf("%d\n", kmp_1000("abab", text));
  return 0;
}
