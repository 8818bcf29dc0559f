/* A copy that is unrolled by a switch into its loop, as before compilers did it. */
#include "check.h"

#define MOST 40

int duff_copy(const short from[MOST], short to[MOST], int count)
{
  const short *source = from;
  short *target = to;
  int rounds = (count + 7) / 8;

  if (count <= 0 || count > MOST) return STATUS_SHORT;
  switch (count % 8) {
  case 0: do { *target++ = *source++;
  case 7:      *target++ = *source++;
  case 6:      *target++ = *source++;
  case 5:      *target++ = *source++;
  case 4:      *target++ = *source++;
  case 3:      *target++ = *source++;
  case 2:      *target++ = *source++;
  case 1:      *target++ = *source++;
          } while (--rounds > 0);
  }
  return (int)(target - to);
}

int main(void)
{
  short from[MOST], to[MOST] = {0};
  for (int i = 0; i < MOST; i++) from[i] = (short)(i * 5 - 60);
  for (int count = 0; count < 30; count += 7) duff_copy(from, to, count);
  return duff_copy(from, to, MOST) != MOST;
}
