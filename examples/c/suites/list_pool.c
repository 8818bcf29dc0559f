/* A pool of nodes: a sorted list with insertion and removal, links by number, pointers to structs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

#define NODES 12
#define COMMANDS 16
#define NONE (-1)

typedef struct node { int key; short next; unsigned char uses; bool live; } node_t;
typedef struct pool { node_t nodes[NODES]; short head, free; int live; } pool_t;

static node_t *node_at(pool_t *pool, short at) { return at == NONE ? NULL : &pool->nodes[at]; }

static void clear(pool_t *pool)
{
  memset(pool->nodes, 0, sizeof pool->nodes);
  for (short k = 0; k < NODES; k++) pool->nodes[k].next = k + 1 == NODES ? NONE : k + 1;
  pool->head = NONE, pool->free = 0, pool->live = 0;
}

static bool add(pool_t *pool, int key)
{
  short before = NONE, at = pool->head;
  while (at != NONE && pool->nodes[at].key < key) before = at, at = pool->nodes[at].next;
  node_t *found = node_at(pool, at);
  if (found && found->key == key) {
    found->uses++;
    return true;
  }
  short made = pool->free;
  node_t *fresh = node_at(pool, made);
  if (!fresh) return false;
  pool->free = fresh->next;
  *fresh = (node_t){.key = key, .next = at, .uses = 1, .live = true};
  if (before == NONE) pool->head = made;
  else pool->nodes[before].next = made;
  pool->live++;
  return true;
}

static bool drop(pool_t *pool, int key)
{
  short *link = &pool->head;
  for (; *link != NONE; link = &pool->nodes[*link].next) {
    short at = *link;
    node_t *here = &pool->nodes[at];
    if (here->key != key) continue;
    if (--here->uses == 0) {
      *link = here->next;
      here->live = false;
      here->next = pool->free;
      pool->free = at;
      pool->live--;
    }
    return true;
  }
  return false;
}

int list_pool(const int commands[COMMANDS], int keys[NODES], unsigned char uses[NODES])
{
  pool_t pool;
  int failed = 0, n = 0;
  clear(&pool);
  for (const int *command = commands; command < commands + COMMANDS; command++) {
    if (*command == 0) break;
    if (!(*command > 0 ? add(&pool, *command) : drop(&pool, abs(*command)))) failed++;
  }
  for (node_t *p = node_at(&pool, pool.head); p; p = node_at(&pool, p->next)) {
    keys[n] = p->key;
    uses[n++] = p->uses;
  }
  assert(n == pool.live);
  return failed << 8 | n;
}

int main(void)
{
  static const int commands[COMMANDS] = {9, 4, 17, 4, -9, 6, -4, 33, -5, 2, 9, -17, 12, 12};
  int keys[NODES] = {0};
  unsigned char uses[NODES] = {0};
  int found = list_pool(commands, keys, uses);
  printf("%d live, %d failed\n", found & 255, found >> 8);
  for (int k = 1; k < (found & 255); k++)
    if (keys[k - 1] >= keys[k]) return 1;
  return 0;
}
