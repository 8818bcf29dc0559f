/* Numbers brought between two bounds: a search of both ends, then a division. */
#include <stdio.h>

#define N 12

typedef struct {
  int low, high;
} range;

static range range_of(const int a[N]) {
  range found = {a[0], a[0]};
  for (int i = 1; i < N; i++) {
    if (a[i] < found.low) found.low = a[i];
    if (a[i] > found.high) found.high = a[i];
  }
  return found;
}

void vector_rescale(int a[N], int top) {
  range r = range_of(a);
  if (r.low == r.high) return;
  for (int i = 0; i < N; i++) a[i] = (a[i] - r.low) * top / (r.high - r.low);
}

int main(void) {
  int a[N], same[N];
  for (int i = 0; i < N; i++) {
    a[i] = i * 91 % 40 - 20;
    same[i] = 3;
  }
  vector_rescale(a, 100);
  vector_rescale(same, 100);
  printf("%d %d\n", a[3], same[0]);
  return 0;
}
