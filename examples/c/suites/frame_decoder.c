/* A frame of bytes: a header, runs of symbols and a check sum; errors leave by one label. */
#include <string.h>
#include "check.h"

#define FRAME 48
#define OUTPUT 32
#define MAGIC 0xA5u

typedef struct {
  unsigned char symbols[OUTPUT];
  int length;
  unsigned check;
} frame_state;

static const unsigned char weight[8] = {[0] = 1, 3, 5, [4] = 7, [6] = 2, 9};

static unsigned add_check(unsigned check, unsigned char symbol)
{
  return (check * 31u + weight[symbol & 7]) & 0xFFFFu;
}

int frame_decoder(const unsigned char in[FRAME], unsigned char out[OUTPUT], int size)
{
  frame_state state = {.length = 0, .check = 7};
  int at = 2, status = STATUS_OK;

  if (size < 4 || in[0] != MAGIC) {
    status = STATUS_SHORT;
    goto error;
  }
next_run:
  for (; at + 1 < size - 1; at += 2) {
    unsigned char count = in[at], symbol = in[at + 1];
    assert(count < 200);
    if (count == 0) continue;
    if (symbol > 127) {
      status = STATUS_BAD_SYMBOL;
      goto error;
    }
  symbols:
    for (int i = 0; i < count; i++) {
      if (state.length == OUTPUT) goto full;
      state.symbols[state.length++] = symbol;
      state.check = add_check(state.check, symbol);
    }
  }
full:
  if ((state.check & 0xFF) != in[size - 1]) {
    status = STATUS_BAD_CHECK;
    goto error;
  }
  memcpy(out, state.symbols, sizeof state.symbols);
  printf("decoded %d symbols\n", state.length);
  return state.length;

error:
  fprintf(stderr, "error %d at byte %d\n", status, at);
  memset(out, 0, OUTPUT);
  return status;
}

int main(void)
{
  unsigned char in[FRAME] = {MAGIC, 0, 3, 65, 0, 99, 5, 66, 2, 12}, out[OUTPUT];
  int size = 11, sum = 0;
  memset(out, 1, sizeof out);
  for (int check = 167; check < 256; check++) {
    in[10] = (unsigned char)check;
    int found = frame_decoder(in, out, size);
    if (found > 0) { sum = found; break; }
  }
  in[3] = 200;
  sum += frame_decoder(in, out, size);
  in[2] = 60; in[3] = 9;
  sum += frame_decoder(in, out, size);
  sum += frame_decoder(in, out, 3);
  return sum == 0;
}
