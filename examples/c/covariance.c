/* Covariances of the columns of a table. */
#include <stdio.h>

#define M 4
#define N 6

void covariance(double data[N][M], double out[M][M]) {
  double mean[M];
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++) mean[j] += data[i][j];
    mean[j] /= N;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) data[i][j] -= mean[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      double sum = 0.0;
      for (int k = 0; k < N; k++) sum += data[k][i] * data[k][j];
      out[i][j] = out[j][i] = sum / (N - 1.0);
    }
}

int main(void) {
  double data[N][M], out[M][M];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) data[i][j] = i * j * 0.25 + (i ^ j);
  covariance(data, out);
  printf("%g %g\n", out[0][0], out[1][3]);
  return 0;
}
