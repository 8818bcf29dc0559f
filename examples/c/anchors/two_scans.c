/* Two linear scans that end at what they look for: even places, then odd ones. */
#include <stdio.h>

#define N 101

int two_scans(int wanted, const int a[N]) {
  int evens = -1, odds = -1, done = 0;
  for (int i = 0; i < N; i += 2) {
    if (a[i] == wanted) {
      evens = i;
      done = 1;
      break;
    }
  }
  if (!done) {
    for (int i = 1; i < N; i += 2) {
      if (a[i] == wanted) {
        odds = i;
        break;
      }
    }
  }
  return done ? evens : odds;
}

int main(void) {
  static int a[N];
  for (int i = 0; i < N; i++) a[i] = i * 3;
  printf("%d %d\n", two_scans(165, a), two_scans(60, a));
  return 0;
}
