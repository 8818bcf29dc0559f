/* Shortest ways from one node over edges that may be negative; -1 where a round never ends. */
#include <stdbool.h>
#include <stdio.h>

#define NODES 5
#define EDGES 8

typedef struct {
  unsigned char from, to;
  short weight;
} edge;

int bellman_ford(const edge edges[EDGES], int way[NODES]) {
  for (int round = 0; round < NODES; round++) {
    bool changed = false;
    for (int e = 0; e < EDGES; e++) {
      int next = way[edges[e].from] + edges[e].weight;
      if (next < way[edges[e].to]) {
        way[edges[e].to] = next;
        changed = true;
      }
    }
    if (!changed) return round;
  }
  return -1;
}

int main(void) {
  edge edges[EDGES] = {{0, 1, 6}, {0, 2, 7}, {1, 3, 5},  {1, 4, -4},
                       {2, 3, -3}, {2, 4, 9}, {3, 1, -2}, {4, 0, 2}};
  int way[NODES] = {0, 1000, 1000, 1000, 1000};
  printf("%d ", bellman_ford(edges, way));
  edges[7].weight = -9;
  printf("%d\n", bellman_ford(edges, way));
  return 0;
}
