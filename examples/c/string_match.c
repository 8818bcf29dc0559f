/* Number of places where a word begins in a text. */
#include <stdio.h>

int string_match(const char text[64], const char word[8]) {
  int found = 0;
  for (int at = 0; text[at] != '\0'; at++) {
    int k = 0;
    while (word[k] != '\0' && text[at + k] == word[k]) k++;
    if (word[k] == '\0') found++;
  }
  return found;
}

int main(void) {
  const char text[64] = "a circuit is a circuit, a cir is no cat";
  printf("%d ", string_match(text, (char[8]){"cir"}));
  printf("%d ", string_match(text, (char[8]){"a"}));
  printf("%d\n", string_match(text, (char[8]){"dog"}));
  return 0;
}
