/* Shortest paths from one node: the nearest open node is found by a scan, as small graphs have it. */
#include <limits.h>
#include "check.h"

#define NODES 7
#define NONE INT_MAX
#define ADD(a, b) ((a) == NONE || (b) == NONE ? NONE : (a) + (b))

struct edge { int to, cost, next; };

static int nearest(const int dist[NODES], const unsigned char done[NODES])
{
  int best = -1;
  for (int i = 0; i < NODES; i++) {
    if (done[i] || dist[i] == NONE) continue;
    if (best < 0 || dist[i] < dist[best]) best = i;
  }
  return best;
}

int dijkstra_scan(const int first[NODES], const struct edge edges[12], int dist[NODES], int source)
{
  unsigned char done[NODES] = {0};
  int rounds = 0;
init:
  for (int i = 0; i < NODES; i++) dist[i] = i == source ? 0 : NONE;
main_loop:
  while (1) {
    int at = nearest(dist, done);
    if (at < 0) goto finished;
    done[at] = 1;
    rounds++;
  relax:
    for (int e = first[at]; e >= 0; e = edges[e].next) {
      int there = ADD(dist[at], edges[e].cost);
      if (there < dist[edges[e].to]) dist[edges[e].to] = there;
    }
  }
finished:
  TRACE("%d rounds\n", rounds);
  return rounds;
}

int main(void)
{
  int first[NODES] = {2, 4, 5, 8, 9, -1, -1}, dist[NODES];
  struct edge edges[12] = {
    {1, 7, -1}, {2, 9, 0}, {5, 14, 1}, {2, 10, -1}, {3, 15, 3}, {3, 11, -1}, {5, 2, -1},
    {4, 6, -1}, {4, 6, -1}, {5, 9, -1}, {0, 1, -1}, {0, 1, -1},
  };
  assert(dijkstra_scan(first, edges, dist, 0) == 6);
  return dist[4] != 26 || dist[6] != NONE;
}
