#include "picture.h"

void open_bits(bits_t *bits, const uint8_t *data, int size)
{
  bits->data = data, bits->size = size;
  bits->at = bits->held = 0;
  bits->window = 0;
  bits->status = OK;
}

unsigned get_bits(bits_t *bits, int count)
{
  if (count == 0) return 0;
  while (bits->held < count) {
    uint8_t byte = 0;
    if (bits->at < bits->size) {
      byte = bits->data[bits->at++];
      if (byte == 0xFF) bits->at++;  /* a stuffed zero */
    } else
      bits->status = TRUNCATED;
    bits->window = bits->window << 8 | byte;
    bits->held += 8;
  }
  bits->held -= count;
  return bits->window >> bits->held & ((1u << count) - 1);
}

/* Small numbers of either sign: those with a leading zero are negative. */
int get_signed(bits_t *bits, int size)
{
  int value = (int)get_bits(bits, size);
  return size && value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}
