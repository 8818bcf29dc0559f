/* Numbers of a text, with signs, one after the other. */
#include <stdio.h>

enum where { BETWEEN, SIGN, DIGITS };

int atoi_lines(const char text[40], int found[8]) {
  enum where at = BETWEEN;
  int count = 0, sign = 1, value = 0;
  for (int i = 0; i < 40; i++) {
    char c = text[i];
    switch (at) {
      case BETWEEN:
        if (c == '-') {
          sign = -1;
          at = SIGN;
          break;
        }
        sign = 1;
        /* fall through */
      case SIGN:
        if (c >= '0' && c <= '9') {
          value = c - '0';
          at = DIGITS;
        } else
          at = BETWEEN;
        break;
      case DIGITS:
        if (c >= '0' && c <= '9')
          value = 10 * value + (c - '0');
        else {
          if (count < 8) found[count++] = sign * value;
          at = BETWEEN;
        }
    }
    if (c == '\0') break;
  }
  return count;
}

int main(void) {
  const char numbers[40] = "12 -7, x345;-0 9", none[40] = "";
  int found[8] = {0};
  printf("%d %d\n", atoi_lines(numbers, found), atoi_lines(none, found));
  return found[1] != -7;
}
