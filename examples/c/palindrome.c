/* Whether a word reads the same from behind; other signs than letters do not count. */
#include <stdbool.h>
#include <stdio.h>

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
static bool is_letter(int c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

bool palindrome(const char text[32], int n) {
  const char *left = text, *right = text + n;
  while (left < right) {
    if (!is_letter(*left)) {
      left++;
      continue;
    }
    if (!is_letter(right[-1])) {
      right--;
      continue;
    }
    if (lower(*left++) != lower(*--right)) return false;
  }
  return true;
}

int main(void) {
  const char car[32] = "Was it a car or a cat I saw?", no[32] = "circuit";
  printf("%d %d %d\n", palindrome(car, 28), palindrome(no, 7), palindrome(no, 0));
  return 0;
}
