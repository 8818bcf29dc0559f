/* Run lengths there and back: both directions walk with pointers to their ends. */
#include <stddef.h>
#include <string.h>
#include "check.h"

#define RAW 40
#define PACKED (RAW * 2)
typedef unsigned char byte;

static size_t pack(byte *out, const byte *in, const byte *end)
{
  byte *start = out;
  while (in < end) {
    byte run = 1;
    while (in + run < end && in[run] == *in && run < 255) run++;
    *out++ = run;
    *out++ = *in;
    in += run;
  }
  return (size_t)(out - start);
}

static size_t unpack(byte *out, const byte *in, size_t size)
{
  size_t made = 0;
  for (const byte *p = in; p < in + size; p += 2)
    for (byte n = p[0]; n; n--) out[made++] = p[1];
  return made;
}

int rle_codec(byte data[RAW], byte packed[PACKED])
{
  byte again[RAW];
  memset(packed, 0, PACKED);
  size_t size = pack(packed, data, data + RAW);
  if (unpack(again, packed, size) != RAW) return STATUS_SHORT;
  for (int i = 0; i < RAW; i++)
    if (again[i] != data[i]) return STATUS_BAD_CHECK;
  memcpy(data, again, sizeof again);
  return (int)size;
}

int main(void)
{
  byte data[RAW], packed[PACKED];
  for (int i = 0; i < RAW; i++) data[i] = (byte)(i / 7 * i / 11);
  return rle_codec(data, packed) < 2;
}
