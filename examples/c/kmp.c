/* Knuth, Morris and Pratt: occurrences of a word, by a table of its borders. */
#include <stdio.h>

#define TEXT 32
#define WORD 5

int kmp(const char text[TEXT], const char word[WORD]) {
  int border[WORD], found = 0;
  border[0] = 0;
  for (int i = 1, k = 0; i < WORD; i++) {
    while (k > 0 && word[i] != word[k]) k = border[k - 1];
    if (word[i] == word[k]) k++;
    border[i] = k;
  }
  for (int i = 0, k = 0; i < TEXT; i++) {
    while (k > 0 && text[i] != word[k]) k = border[k - 1];
    if (text[i] == word[k]) k++;
    if (k == WORD) {
      found++;
      k = border[k - 1];
    }
  }
  return found;
}

int main(void) {
  const char text[TEXT] = "abababacabababababcabababaabab";
  const char word[WORD] = {'a', 'b', 'a', 'b', 'a'}, other[WORD] = {'c', 'a', 'b', 'a', 'c'};
  printf("%d %d\n", kmp(text, word), kmp(text, other));
  return 0;
}
