/* Breadth-first search by levels: two lists of nodes whose pointers are swapped. */
#include <string.h>
#include "check.h"

#define NODES 12
#define EDGES 26
#define UNSEEN (-1)

typedef struct { int begin, end; } node;
typedef struct { int to; } edge;

int bfs_frontier(const node nodes[NODES], const edge edges[EDGES], int root, int level[NODES])
{
  int lists[2][NODES], *now = lists[0], *later = lists[1], count = 1, horizon = 0;
  for (int n = 0; n < NODES; n++) level[n] = UNSEEN;
  if (root < 0 || root >= NODES) goto refused;
  level[root] = 0;
  now[0] = root;
levels:
  while (count) {
    int found = 0;
    horizon++;
    for (const int *p = now; p < now + count; p++) {
      const node *here = &nodes[*p];
      for (int e = here->begin; e < here->end; e++) {
        int to = edges[e].to;
        if (level[to] != UNSEEN) continue;
        level[to] = horizon;
        later[found++] = to;
      }
    }
    int *swap = now;
    now = later;
    later = swap;
    count = found;
  }
  TRACE("%d levels\n", horizon);
  return horizon;
refused:
  return STATUS_SHORT;
}

int main(void)
{
  node nodes[NODES];
  edge edges[EDGES];
  int level[NODES], e = 0;
  for (int n = 0; n < NODES; n++) {
    nodes[n].begin = e;
    if (2 * n + 1 < NODES) edges[e++].to = 2 * n + 1;
    if (2 * n + 2 < NODES) edges[e++].to = 2 * n + 2;
    edges[e++].to = (n * 5 + 3) % NODES;
    nodes[n].end = e;
  }
  return bfs_frontier(nodes, edges, 0, level) + bfs_frontier(nodes, edges, NODES, level) == 0;
}
