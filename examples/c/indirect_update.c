/* Updates through indices: the next one may meet the last one's word. */
#include <stdio.h>

#define N 16

void indirect_update(int a[N], const unsigned char at[N], int n) {
  for (int i = 0; i < n; i++) {
    a[at[i]] = a[at[i]] * 3 + i;
    if (i > 0 && at[i] == at[i - 1]) a[at[i]]--;
  }
}

int main(void) {
  int a[N] = {1, 2, 3, 4};
  unsigned char at[N];
  for (int i = 0; i < N; i++) at[i] = (unsigned char)(i / 3 * i % N);
  indirect_update(a, at, 0);
  indirect_update(a, at, N);
  printf("%d %d\n", a[0], a[5]);
  return 0;
}
