/* Quicksort with its own stack of ranges, which pointers into the data bound. */
#include "check.h"

#define LENGTH 20
#define DEPTH 24
#define SWAP(p, q) do { int t_ = *(p); *(p) = *(q); *(q) = t_; } while (0)

typedef struct { int low, high; } range;

int quick_stack(int data[LENGTH])
{
  range stack[DEPTH];
  int depth = 0, most = 0;
  stack[depth++] = (range){0, LENGTH - 1};
ranges:
  while (depth > 0) {
    range now = stack[--depth];
    if (now.low >= now.high) continue;
    int *left = data + now.low, *right = &data[now.high], pivot = data[(now.low + now.high) / 2];
  partition:
    while (left <= right) {
      while (*left < pivot) left++;
      while (*right > pivot) right--;
      if (left <= right) {
        SWAP(left, right);
        left++, right--;
      }
    }
    stack[depth++] = (range){now.low, (int)(right - data)};
    stack[depth++] = (range){(int)(left - data), now.high};
    if (depth > most) most = depth;
    assert(depth < DEPTH);
  }
  return most;
}

int main(void)
{
  int data[LENGTH];
  for (int i = 0; i < LENGTH; i++) data[i] = (i * 29 + 11) % 43;
  quick_stack(data);
  for (int i = 1; i < LENGTH; i++)
    if (data[i - 1] > data[i]) return 1;
  return 0;
}
