/* Shell sort with gaps that are halved. */
#include <stdio.h>

#define N 15

int shell_sort(int a[N]) {
  int moves = 0;
  for (int gap = N / 2; gap > 0; gap /= 2)
    for (int i = gap; i < N; i++) {
      int held = a[i], j = i;
      for (; j >= gap && a[j - gap] > held; j -= gap) {
        a[j] = a[j - gap];
        moves++;
      }
      a[j] = held;
    }
  return moves;
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++) a[i] = (N - i) * 31 % 23;
  printf("%d\n", shell_sort(a));
  return a[0] > a[N - 1];
}
