/* SHA-256 of a message of at most two blocks; the schedule is a ring that a macro reads. */
#include <stdint.h>
#include <string.h>
#include "check.h"

#define BLOCK 64
#define MOST 100
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define BIG0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define BIG1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SMALL0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SMALL1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define W(i) ring[(i) & 15]

static const uint32_t constants[64] = {
  0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u,
  0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u,
  0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u,
  0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
  0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u,
  0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u,
  0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
  0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
  0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au,
  0x5b9cca4fu, 0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u,
  0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u
};

typedef struct {
  uint32_t hash[8];
  unsigned char data[BLOCK];
} sha_state;

static void transform(sha_state *state)
{
  uint32_t ring[16], v[8];
  const unsigned char *byte = state->data;
  for (int i = 0; i < 16; i++) {
    uint32_t word = 0;
    for (int k = 0; k < 4; k++) word = word << 8 | *byte++;
    ring[i] = word;
  }
  memcpy(v, state->hash, sizeof v);
rounds:
  for (int i = 0; i < 64; i++) {
    if (i >= 16) W(i) += SMALL1(W(i - 2)) + W(i - 7) + SMALL0(W(i - 15));
    uint32_t first = v[7] + BIG1(v[4]) + CH(v[4], v[5], v[6]) + constants[i] + W(i);
    uint32_t second = BIG0(v[0]) + MAJ(v[0], v[1], v[2]);
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; i++) state->hash[i] += v[i];
}

int sha256_blocks(const unsigned char message[MOST], int length, uint32_t digest[8])
{
  static const uint32_t start[8] = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
    0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u
  };
  sha_state state;
  int filled = 0, blocks = 0;

  if (length < 0 || length > MOST) goto refused;
  memcpy(state.hash, start, sizeof start);
bytes:
  for (int i = 0; i <= length; i++) {
    state.data[filled++] = i == length ? 0x80 : message[i];
    if (filled < BLOCK) continue;
    transform(&state);
    filled = 0;
    blocks++;
  }
  if (filled > BLOCK - 8) {
    memset(state.data + filled, 0, (BLOCK - filled) * sizeof(unsigned char));
    transform(&state);
    blocks++;
    filled = 0;
  }
  for (; filled < BLOCK; filled++)
    state.data[filled] = filled < BLOCK - 4 ? 0 : (unsigned char)(8 * length >> 8 * (BLOCK - 1 - filled));
  transform(&state);
  memcpy(digest, state.hash, 32);
  return blocks + 1;
refused:
  fprintf(stderr, "%d bytes\n", length);
  return STATUS_SHORT;
}

int main(void)
{
  unsigned char message[MOST] = "abc";
  uint32_t digest[8];
  sha256_blocks(message, 3, digest);
  if (digest[0] != 0xba7816bfu) return 1;
  for (int i = 0; i < 60; i++) message[i] = (unsigned char)(i * 7);
  sha256_blocks(message, 60, digest);
  return sha256_blocks(message, -1, digest) >= 0;
}
