/* Breadth first search over lists of neighbours, with a queue. */
#include <stdio.h>

#define NODES 8
#define EDGES 12

int bfs(const int begin[NODES + 1], const int next[EDGES], int start, int level[NODES]) {
  int queue[NODES], head = 0, tail = 0;
  for (int n = 0; n < NODES; n++) level[n] = -1;
  level[start] = 0;
  queue[tail++] = start;
  while (head < tail) {
    int node = queue[head++];
    for (int e = begin[node]; e < begin[node + 1]; e++)
      if (level[next[e]] < 0) {
        level[next[e]] = level[node] + 1;
        queue[tail++] = next[e];
      }
  }
  return tail;
}

int main(void) {
  const int begin[NODES + 1] = {0, 2, 4, 6, 7, 9, 10, 12, 12};
  const int next[EDGES] = {1, 2, 3, 4, 4, 5, 6, 6, 0, 2, 1, 3};
  int level[NODES] = {0};
  printf("%d %d\n", bfs(begin, next, 0, level), bfs(begin, next, 7, level));
  return 0;
}
