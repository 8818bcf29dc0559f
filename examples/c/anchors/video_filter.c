/* Offset and scale of three planes of 30 x 30 pixels, in place. */
#include <stdio.h>

#define N 30

void video_filter(int offset, int scale, int r[N][N], int g[N][N], int b[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      r[i][j] = ((r[i][j] - offset) * scale) >> 4;
      g[i][j] = ((g[i][j] - offset) * scale) >> 4;
      b[i][j] = ((b[i][j] - offset) * scale) >> 4;
    }
}

int main(void) {
  static int r[N][N], g[N][N], b[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      r[i][j] = (i + j * 3) % 256;
      g[i][j] = (i * 5 + j) % 256;
      b[i][j] = (i * 7 + j * 2) % 256;
    }
  video_filter(16, 19, r, g, b);
  for (int i = 0; i < N; i++) printf("%d %d %d ", r[i][i], g[i][i], b[i][i]);
  return 0;
}
