/* IMA ADPCM: samples of 16 bits become codes of 4, two a byte; state behind a pointer. */
#include "check.h"

#define SAMPLES 32

typedef struct {
  short previous;
  char index;
} adpcm_state;

static const short step_sizes[89] = {
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
  80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
  544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499,
  2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487,
  12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767
};
static const signed char index_steps[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static int clamp(int value, int low, int high)
{
  return value < low ? low : value > high ? high : value;
}

static int encode(int sample, adpcm_state *state)
{
  int step = step_sizes[state->index], left = sample - state->previous, code = 0;
  int change = step >> 3;
  if (left < 0) {
    code = 8;
    left = -left;
  }
  for (int bit = 4; bit; bit >>= 1) {
    if (left >= step) {
      code |= bit;
      left -= step;
      change += step;
    }
    step >>= 1;
  }
  state->previous = (short)clamp(state->previous + (code & 8 ? -change : change), -32768, 32767);
  state->index = (char)clamp(state->index + index_steps[code & 7], 0, 88);
  return code;
}

int adpcm_coder(const short pcm[SAMPLES], unsigned char coded[SAMPLES / 2])
{
  adpcm_state state = {0, 0};
  unsigned char *out = coded;
pairs:
  for (int n = 0; n < SAMPLES; n += 2) {
    int low = encode(pcm[n], &state);
    *out++ = (unsigned char)(low | encode(pcm[n + 1], &state) << 4);
  }
  printf("index %d\n", state.index);
  return state.previous;
}

int main(void)
{
  short pcm[SAMPLES];
  unsigned char coded[SAMPLES / 2];
  for (int n = 0; n < SAMPLES; n++) pcm[n] = (short)((n * n * 331) % 20001 - 10000);
  return adpcm_coder(pcm, coded) == 0;
}
