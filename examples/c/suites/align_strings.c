/* Global alignment of two strings with its traceback, which is written from the end of a buffer. */
#include <string.h>
#include "check.h"

#define ALEN 10
#define BLEN 9
#define MATCH 2
#define MISS -1
#define GAP -2
#define MAX(a, b) ((a) > (b) ? (a) : (b))
enum way { DIAGONAL = 'd', UP = 'u', LEFT = 'l' };

int align_strings(char a[ALEN], char b[BLEN], char out_a[ALEN + BLEN], char out_b[ALEN + BLEN])
{
  static int score[ALEN + 1][BLEN + 1];
  static char ptr[ALEN + 1][BLEN + 1];
init_row:
  for (int i = 0; i <= ALEN; i++) score[i][0] = i * GAP, ptr[i][0] = UP;
init_col:
  for (int j = 0; j <= BLEN; j++) score[0][j] = j * GAP, ptr[0][j] = LEFT;
fill_out:
  for (int i = 1; i <= ALEN; i++) {
  fill_in:
    for (int j = 1; j <= BLEN; j++) {
      int diagonal = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISS);
      int up = score[i - 1][j] + GAP, left = score[i][j - 1] + GAP;
      int best = MAX(diagonal, MAX(up, left));
      score[i][j] = best;
      ptr[i][j] = best == diagonal ? DIAGONAL : best == up ? UP : LEFT;
    }
  }
  memset(out_a, '_', ALEN + BLEN);
  memset(out_b, '_', ALEN + BLEN);
  int i = ALEN, j = BLEN, at = ALEN + BLEN;
trace:
  while (i > 0 || j > 0) {
    --at;
    switch (ptr[i][j]) {
    case DIAGONAL: out_a[at] = a[--i]; out_b[at] = b[--j]; break;
    case UP: out_a[at] = a[--i]; out_b[at] = '-'; break;
    default: out_a[at] = '-'; out_b[at] = b[--j];
    }
  }
  TRACE("score %d\n", score[ALEN][BLEN]);
  return score[ALEN][BLEN];
}

int main(void)
{
  char out_a[ALEN + BLEN], out_b[ALEN + BLEN];
  char a[ALEN] = "tcgacgaaat", b[BLEN] = "gacgatatc";
  return align_strings(a, b, out_a, out_b) < -20;
}
