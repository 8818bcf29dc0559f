/* Horspool's search for a word in a text: a table of shifts, pointers into the text. */
#include <stddef.h>
#include "check.h"

#define TEXT 64
#define WORD 8

static const char *search(const char *text, int length, const char *word, int size,
                          unsigned char shift[128])
{
  const char *at = text, *end = text + length - size;
  for (int c = 0; c < 128; c++) shift[c] = (unsigned char)size;
  for (int k = 0; k < size - 1; k++) shift[word[k] & 127] = (unsigned char)(size - 1 - k);
scan:
  while (at <= end) {
    int k = size - 1;
    while (k >= 0 && at[k] == word[k]) k--;
    if (k < 0) return at;
    at += shift[at[size - 1] & 127];
  }
  return NULL;
}

int horspool(const char text[TEXT], const char word[WORD])
{
  unsigned char shift[128];
  int size = 0;
  while (size < WORD && word[size]) size++;
  if (!size) return STATUS_SHORT;
  const char *found = search(text, TEXT, word, size, shift);
  if (!found) {
    puts("not found");
    return -1;
  }
  return (int)(found - text);
}

int main(void)
{
  char text[TEXT] = "a loop of one channel, a token on each channel of a loop";
  char word[WORD] = "each", none[WORD] = "eachs", empty[WORD] = "";
  return horspool(text, word) + horspool(text, none) + horspool(text, empty) == 0;
}
