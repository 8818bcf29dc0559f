/* The compression function of MD5, its four rounds unrolled by macros. */
#include <stdint.h>
#include "check.h"

#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define ROTATE(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define STEP(f, a, b, c, d, k, s, t) do { (a) += f(b, c, d) + block[k] + (t); (a) = (b) + ROTATE(a, s); } while (0)

static const uint32_t sine[64] = {
  0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
  0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
  0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
  0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
  0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
  0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
  0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
  0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

void md5_words(uint32_t state[4], const uint32_t block[16])
{
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  int k = 0;
  for (int i = 0; i < 16; i += 4, k += 4) {
    STEP(F, a, b, c, d, i, 7, sine[k]); STEP(F, d, a, b, c, i + 1, 12, sine[k + 1]);
    STEP(F, c, d, a, b, i + 2, 17, sine[k + 2]); STEP(F, b, c, d, a, i + 3, 22, sine[k + 3]);
  }
  for (int i = 1; k < 32; i += 20, k += 4) {
    STEP(G, a, b, c, d, i & 15, 5, sine[k]); STEP(G, d, a, b, c, (i + 5) & 15, 9, sine[k + 1]);
    STEP(G, c, d, a, b, (i + 10) & 15, 14, sine[k + 2]); STEP(G, b, c, d, a, (i + 15) & 15, 20, sine[k + 3]);
  }
  for (int i = 5; k < 48; i += 12, k += 4) {
    STEP(H, a, b, c, d, i & 15, 4, sine[k]); STEP(H, d, a, b, c, (i + 3) & 15, 11, sine[k + 1]);
    STEP(H, c, d, a, b, (i + 6) & 15, 16, sine[k + 2]); STEP(H, b, c, d, a, (i + 9) & 15, 23, sine[k + 3]);
  }
  for (int i = 0; k < 64; i += 28, k += 4) {
    STEP(I, a, b, c, d, i & 15, 6, sine[k]); STEP(I, d, a, b, c, (i + 7) & 15, 10, sine[k + 1]);
    STEP(I, c, d, a, b, (i + 14) & 15, 15, sine[k + 2]); STEP(I, b, c, d, a, (i + 21) & 15, 21, sine[k + 3]);
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d;
}

int main(void)
{
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, block[16] = {0x80};
  md5_words(state, block);
  assert(state[0] == 0xd98c1dd4 && state[3] == 0x7e42f8ec);
  return 0;
}
