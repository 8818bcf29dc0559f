/* The most that a bag holds: weights read the row that they write, from behind. */
#include <stdio.h>

#define ITEMS 5
#define ROOM 20

int knapsack(const int weight[ITEMS], const int value[ITEMS], int room) {
  int best[ROOM + 1] = {0};
  for (int i = 0; i < ITEMS; i++)
    for (int w = room; w >= weight[i]; w--) {
      int with = best[w - weight[i]] + value[i];
      if (with > best[w]) best[w] = with;
    }
  return best[room];
}

int main(void) {
  const int weight[ITEMS] = {3, 4, 5, 9, 14}, value[ITEMS] = {3, 4, 4, 10, 15};
  printf("%d %d %d\n", knapsack(weight, value, 20), knapsack(weight, value, 11),
         knapsack(weight, value, 0));
  return 0;
}
