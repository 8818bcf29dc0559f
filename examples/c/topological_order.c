/* An order of tasks in which each comes after those it waits for; gives how many there are. */
#include <stdio.h>

#define N 6

int topological_order(const _Bool waits[N][N], int order[N]) {
  int left[N], count = 0;
  for (int i = 0; i < N; i++) {
    left[i] = 0;
    for (int j = 0; j < N; j++) left[i] += waits[i][j];
  }
  while (count < N) {
    int next = -1;
    for (int i = 0; i < N && next < 0; i++)
      if (left[i] == 0) next = i;
    if (next < 0) break;
    left[next] = -1;
    order[count++] = next;
    for (int i = 0; i < N; i++)
      if (waits[i][next]) left[i]--;
  }
  return count;
}

int main(void) {
  _Bool waits[N][N] = {{0, 1}, {0, 0, 0, 1}, {1}, {0}, {0, 0, 1, 1}, {0, 1, 1, 0, 1}};
  int order[N] = {0};
  printf("%d ", topological_order(waits, order));
  waits[3][5] = 1;
  printf("%d\n", topological_order(waits, order));
  return 0;
}
