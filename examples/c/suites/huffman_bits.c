/* Canonical Huffman codes of a JPEG-like stream: tables are made from lengths, bits come from bytes. */
#include <stdint.h>
#include <string.h>
#include "check.h"

#define SYMBOLS 12
#define LONGEST 8
typedef struct { const uint8_t *data; int size, at; unsigned bits; int left; } reader;

static int next_bit(reader *in)
{
  if (in->left == 0) {
    if (in->at == in->size) return -1;
    in->bits = in->data[in->at++];
    in->left = 8;
  }
  return in->bits >> --in->left & 1;
}

int huffman_bits(const uint8_t lengths[SYMBOLS], const uint8_t data[16], uint8_t out[32])
{
  int count[LONGEST + 1], first[LONGEST + 1], begin[LONGEST + 1], order[SYMBOLS], used = 0;
  memset(count, 0, sizeof count);
  for (int s = 0; s < SYMBOLS; s++) count[lengths[s]]++;
  count[0] = 0;
  int code = 0;
table:
  for (int n = 1; n <= LONGEST; n++) {
    first[n] = code;
    begin[n] = used;
    for (int s = 0; s < SYMBOLS; s++)
      if (lengths[s] == n) order[used++] = s;
    code = (code + count[n]) << 1;
  }
  reader in = {data, 16, 0, 0, 0};
  int made = 0;
symbols:
  while (made < 32) {
    int value = 0, n;
    for (n = 1; n <= LONGEST; n++) {
      int bit = next_bit(&in);
      if (bit < 0) goto end;
      value = value << 1 | bit;
      if (value - first[n] < count[n]) break;
    }
    if (n > LONGEST) {
      TRACE("no code at byte %d\n", in.at);
      return STATUS_BAD_SYMBOL;
    }
    out[made++] = (uint8_t)order[begin[n] + value - first[n]];
  }
end:
  return made;
}

int main(void)
{
  uint8_t lengths[SYMBOLS] = {2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6}, data[16], out[32] = {0};
  for (int i = 0; i < 16; i++) data[i] = (uint8_t)(i * 91 + 17);
  int made = huffman_bits(lengths, data, out);
  uint8_t gap[SYMBOLS] = {1, 3};
  return made < 8 || huffman_bits(gap, data, out) != STATUS_BAD_SYMBOL;
}
