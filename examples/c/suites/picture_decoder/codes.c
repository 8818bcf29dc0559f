#include "picture.h"

/* Of each length: how many codes, the first of them, and where its symbols begin. */
static const struct { uint8_t count, first, symbols; } lengths[] = {
  {0, 0, 0}, {1, 0, 0}, {1, 2, 1}, {1, 6, 2}, {2, 14, 3}, {2, 32, 5},
};
#define LONGEST (int)(sizeof lengths / sizeof lengths[0] - 1)
/* A symbol: zeros before a number in the high half, the bits of the number in the low one. */
static const uint8_t symbols[] = {0x01, 0x00, 0x02, 0x11, 0x03, 0x21, 0x04};

int get_code(bits_t *bits)
{
  unsigned code = 0;
  for (int length = 1; length <= LONGEST; length++) {
    code = code << 1 | get_bits(bits, 1);
    unsigned above = code - lengths[length].first;
    if (code >= lengths[length].first && above < lengths[length].count)
      return symbols[lengths[length].symbols + above];
  }
  bits->status = BAD_CODE;
  return -1;
}
