/* Dark pixels of three planes become black. */
#include <stdio.h>

#define N 1000

void threshold_1000(int th, int red[N], int green[N], int blue[N]) {
  for (int i = 0; i < N; i++) {
    int sum = red[i] + green[i] + blue[i];
    if (sum <= th) {
      red[i] = 0;
      green[i] = 0;
      blue[i] = 0;
    }
  }
}

int main(void) {
  static int red[N], green[N], blue[N];
  for (int i = 0; i < N; i++) {
    red[i] = i * 31 % 256;
    green[i] = i * 57 % 256;
    blue[i] = i * 91 % 256;
  }
  threshold_1000(300, red, green, blue);
  for (int i = 0; i < N; i += 37) printf("%d ", red[i] + green[i] + blue[i]);
  return 0;
}
