/* Forces among near particles of boxes, and the nearest neighbours of each, of structs of floats. */
#include <math.h>
#include "check.h"

typedef float real;
typedef struct { real x, y, z; } vector;
typedef struct { int index; real distance; } neighbour;
#define SIDE 2
#define MOST 3
#define K 2
#define BLOCKS (SIDE * SIDE)
#define FAR 1e30f
#define SUB(p, q) ((vector){(p).x - (q).x, (p).y - (q).y, (p).z - (q).z})

static real length_2(vector v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

static void insert(neighbour *list, neighbour found)
{
  int at;
  for (at = K - 1; at > 0 && list[at - 1].distance > found.distance; at--) list[at] = list[at - 1];
  list[at] = found;
}

void knn_boxes(int n_points[BLOCKS], vector force[BLOCKS][MOST], vector position[BLOCKS][MOST],
               int nearest[BLOCKS * MOST][K])
{
  loop_boxes: for (int b = 0; b < BLOCKS; b++) {
    loop_p: for (int p = 0; p < n_points[b]; p++) {
      vector here = position[b][p], sum = {0};
      neighbour list[K];
      for (int k = 0; k < K; k++) list[k] = (neighbour){-1, FAR};
      loop_neighbours: for (int o = 0; o < BLOCKS; o++) {
        const vector *others = position[o];
        loop_q: for (int q = 0; q < n_points[o]; q++) {
          if (o == b && q == p) continue;
          vector d = SUB(here, others[q]);
          real r2 = length_2(d), inverse = 1.0f / r2;
          real potential = inverse * (1.5f * inverse - 2.0f);
          sum.x += potential * d.x;
          sum.y += potential * d.y;
          sum.z += potential * d.z;
          if (r2 < list[K - 1].distance) insert(list, (neighbour){o * MOST + q, r2});
        }
      }
      force[b][p] = sum;
      for (int k = 0; k < K; k++) nearest[b * MOST + p][k] = list[k].index;
    }
  }
}

int main(void)
{
  static int n_points[BLOCKS] = {2, 3, 0, 1}, nearest[BLOCKS * MOST][K];
  static vector force[BLOCKS][MOST], position[BLOCKS][MOST];
  for (int b = 0; b < BLOCKS; b++)
    for (int p = 0; p < MOST; p++)
      position[b][p] = (vector){(real)(b % SIDE) + 0.25f * p, (real)(b / SIDE), 0.5f * (p + b)};
  knn_boxes(n_points, force, position, nearest);
  return nearest[0][0] < 0;
}
