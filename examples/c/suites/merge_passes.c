/* Merge sort from runs of one upwards: each pass goes from one buffer to the other one. */
#include "check.h"

#define LENGTH 24
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void merge(const int *from, int *to, int low, int middle, int high)
{
  int left = low, right = middle;
  for (int k = low; k < high; k++) {
    int take_left = left < middle && (right >= high || from[left] <= from[right]);
    to[k] = take_left ? from[left++] : from[right++];
  }
}

int merge_passes(int data[LENGTH])
{
  int spare[LENGTH], *from = data, *to = spare, passes = 0;
passes:
  for (int width = 1; width < LENGTH; width *= 2, passes++) {
    for (int low = 0; low < LENGTH; low += 2 * width)
      merge(from, to, low, MIN(low + width, LENGTH), MIN(low + 2 * width, LENGTH));
    int *swap = from;
    from = to;
    to = swap;
  }
  if (from != data)
    for (int i = 0; i < LENGTH; i++) data[i] = from[i];
  TRACE("%d passes\n", passes);
  return passes;
}

int main(void)
{
  int data[LENGTH];
  for (int i = 0; i < LENGTH; i++) data[i] = (i * 37) % 50 - 20;
  merge_passes(data);
  for (int i = 1; i < LENGTH; i++)
    if (data[i - 1] > data[i]) return 1;
  return 0;
}
