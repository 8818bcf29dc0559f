#include <stdio.h>
#include <string.h>
#include "picture.h"

static uint8_t clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static status_t read_header(bits_t *bits, picture_t *picture)
{
  if (get_bits(bits, 8) != 'P' || get_bits(bits, 8) != 'D') return BAD_MAGIC;
  picture->columns = (uint8_t)get_bits(bits, 4);
  picture->rows = (uint8_t)get_bits(bits, 4);
  for (int k = 0; k < CELLS; k++) picture->quant[zigzag[k]] = (int16_t)(get_bits(bits, 4) + 1);
  picture->last_dc = 0;
  return picture->columns * picture->rows > MOST_BLOCKS ? BAD_MAGIC : OK;
}

static status_t read_block(bits_t *bits, picture_t *picture)
{
  memset(picture->block, 0, sizeof picture->block);
  picture->last_dc += get_signed(bits, (int)get_bits(bits, 3));
  picture->block[0] = (int16_t)(picture->last_dc * picture->quant[0]);
  for (int k = 1; k < CELLS; k++) {
    int code = get_code(bits);
    switch (code) {
    case -1: goto bad;
    case 0x00: goto end_of_block;
    default:
      k += code >> 4;
      if (k >= CELLS) goto bad;
      int at = zigzag[k];
      picture->block[at] = (int16_t)(get_signed(bits, code & 15) * picture->quant[at]);
    }
  }
end_of_block:
  inverse_transform(picture->block);
  return bits->status;
bad:
  return bits->status = BAD_CODE;
}

int picture_decoder(const uint8_t stream[STREAM], int size, uint8_t out[MOST_BLOCKS][CELLS])
{
  bits_t bits;
  picture_t picture;
  status_t status;

  open_bits(&bits, stream, size);
  if ((status = read_header(&bits, &picture)) != OK) {
    fprintf(stderr, "no picture: %d\n", status);
    return -(int)status;
  }
  int blocks = picture.columns * picture.rows;
blocks:
  for (int b = 0; b < blocks; b++) {
    if ((status = read_block(&bits, &picture)) != OK) goto failed;
    const int16_t *from = picture.block;
    for (uint8_t *to = out[b]; to < out[b] + CELLS; to++) *to = clamp(*from++ + 128);
  }
  return blocks;
failed:
  printf("block fails: %d\n", status);
  return -(int)status;
}

int main(void)
{
  uint8_t stream[STREAM] = {'P', 'D', 0x22}, out[MOST_BLOCKS][CELLS];
  memset(out, 0, sizeof out);
  for (int k = 3; k < 11; k++) stream[k] = (uint8_t)(0x77 + 0x11 * (k / 4));
  for (int k = 11; k < STREAM; k++) stream[k] = (uint8_t)((k * 73 + 5) ^ (k << 3));
  int sum = 0;
  for (int seed = 0; seed < 6; seed++) {
    stream[11] = (uint8_t)(0x60 + 37 * seed);
    sum += picture_decoder(stream, seed == 4 ? 14 : STREAM, out);
  }
  stream[0] = 'Q';
  sum += picture_decoder(stream, STREAM, out);
  return sum == 0;
}
