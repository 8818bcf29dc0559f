/* Exponential-Golomb codes out of bytes: a reader that a pointer to a struct hands on. */
#include "check.h"

#define BYTES 24
#define VALUES 16

typedef struct {
  const unsigned char *at, *end;
  unsigned kept;
  int bits;
} reader;

static int next_bit(reader *r)
{
  if (r->bits == 0) {
    if (r->at == r->end) return -1;
    r->kept = *r->at++;
    r->bits = 8;
  }
  return r->kept >> --r->bits & 1;
}

int bit_reader(const unsigned char bytes[BYTES], int size, int values[VALUES])
{
  reader r = {.at = bytes, .end = bytes + size};
  int count = 0;
codes:
  while (count < VALUES) {
    int zeros = 0, bit;
    unsigned value = 1;
    while ((bit = next_bit(&r)) == 0)
      if (++zeros > 12) goto broken;
    if (bit < 0) break;
    for (int k = 0; k < zeros; k++) {
      bit = next_bit(&r);
      if (bit < 0) goto broken;
      value = value << 1 | (unsigned)bit;
    }
    values[count++] = value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
  }
  return count;
broken:
  fprintf(stderr, "broken after %d values\n", count);
  return STATUS_BAD_SYMBOL;
}

int main(void)
{
  unsigned char bytes[BYTES] = {0xA6, 0x42, 0x98, 0xE2, 0x04, 0x8A, 0x17, 0xFF, 0x51};
  int values[VALUES];
  int sum = bit_reader(bytes, 9, values);
  bytes[3] = 0, bytes[4] = 0;
  return sum + bit_reader(bytes, 9, values) == 0;
}
