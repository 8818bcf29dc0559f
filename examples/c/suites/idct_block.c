/* Inverse cosine transform of a block of 8 x 8, rows and then columns through one pointer. */
#include "check.h"

#define W1 2841
#define W2 2676
#define W3 2408
#define W5 1609
#define W6 1108
#define W7 565
#define CLIP(x) ((x) < -256 ? -256 : (x) > 255 ? 255 : (x))

static void pass(int *block, int step, int scale, int round)
{
  int *in = block;
  int x0 = (in[0] << 8) + round, x1 = in[4 * step] << 8, x2 = in[6 * step], x3 = in[2 * step];
  int x4 = in[1 * step], x5 = in[7 * step], x6 = in[5 * step], x7 = in[3 * step], x8;
  x8 = W7 * (x4 + x5);
  x4 = (x8 + (W1 - W7) * x4) >> 3;
  x5 = (x8 - (W1 + W7) * x5) >> 3;
  x8 = W3 * (x6 + x7);
  x6 = (x8 - (W3 - W5) * x6) >> 3;
  x7 = (x8 - (W3 + W5) * x7) >> 3;
  x8 = x0 + x1;
  x0 -= x1;
  x1 = W6 * (x3 + x2);
  x2 = (x1 - (W2 + W6) * x2) >> 3;
  x3 = (x1 + (W2 - W6) * x3) >> 3;
  x1 = x4 + x6; x4 -= x6; x6 = x5 + x7; x5 -= x7;
  x7 = x8 + x3; x8 -= x3; x3 = x0 + x2; x0 -= x2;
  x2 = (181 * (x4 + x5) + 128) >> 8;
  x4 = (181 * (x4 - x5) + 128) >> 8;
  in[0 * step] = (x7 + x1) >> scale; in[1 * step] = (x3 + x2) >> scale;
  in[2 * step] = (x0 + x4) >> scale; in[3 * step] = (x8 + x6) >> scale;
  in[4 * step] = (x8 - x6) >> scale; in[5 * step] = (x0 - x4) >> scale;
  in[6 * step] = (x3 - x2) >> scale; in[7 * step] = (x7 - x1) >> scale;
}

void idct_block(int block[64])
{
rows:
  for (int i = 0; i < 8; i++) pass(block + 8 * i, 1, 8, 128);
columns:
  for (int i = 0; i < 8; i++) pass(&block[i], 8, 11, 8192);
  for (int *p = block; p != block + 64; ++p) *p = CLIP(*p);
}

int main(void)
{
  int block[64] = {240, -24, 0, 16, [8] = -32, [10] = 48, [17] = 8, [27] = -12, [63] = 4};
  idct_block(block);
  int sum = 0;
  for (int i = 0; i < 64; i++) sum += block[i];
  return sum == 0;
}
