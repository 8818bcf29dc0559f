/* Weights added up by feature. */
#include <stdio.h>

#define N 1000
#define BINS 1000

void histogram_float(const int feature[N], const float weight[N], float hist[BINS], int n) {
  for (int i = 0; i < n; i++) {
    int m = feature[i];
    hist[m] = hist[m] + weight[i];
  }
}

int main(void) {
  static int feature[N];
  static float weight[N], hist[BINS];
  for (int i = 0; i < N; i++) {
    feature[i] = (int)((unsigned)i * 2654435761u >> 22) % BINS;
    weight[i] = (float)(i % 17) * 0.25f;
  }
  histogram_float(feature, weight, hist, N);
  for (int i = 0; i < BINS; i += 57) printf("%g ", (double)hist[i]);
  return 0;
}
