/* Weighted sums over 3 x 3 windows of a picture 30 wide, one row of 28 results. */
#include <stdio.h>

#define WIDTH 30
#define RESULTS 28

void stencil_2d(const int orig[900], int sol[RESULTS], const int filter[9]) {
  for (int c = 0; c < RESULTS; c++) {
    int sum = 0;
    for (int k = 0; k < 3; k++)
      for (int m = 0; m < 3; m++) sum += filter[k * 3 + m] * orig[k * WIDTH + c + m];
    sol[c] = sum;
  }
}

int main(void) {
  static int orig[900], sol[RESULTS];
  static const int filter[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
  for (int i = 0; i < 900; i++) orig[i] = i * 29 % 256;
  stencil_2d(orig, sol, filter);
  for (int i = 0; i < RESULTS; i++) printf("%d ", sol[i]);
  return 0;
}
