/* Bytes as letters, three in four. */
#include <stdint.h>
#include <stdio.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64(const uint8_t in[12], int n, char out[17]) {
  int k = 0;
  for (int i = 0; i < n; i += 3) {
    uint32_t three = (uint32_t)in[i] << 16;
    if (i + 1 < n) three |= (uint32_t)in[i + 1] << 8;
    if (i + 2 < n) three |= in[i + 2];
    for (int j = 0; j < 4; j++)
      out[k++] = i + j <= n ? letters[three >> (18 - 6 * j) & 63] : '=';
  }
  out[k] = '\0';
  return k;
}

int main(void) {
  const uint8_t in[12] = "LOOM, woven";
  char out[17] = "";
  printf("%d %s ", base64(in, 11, out), out);
  printf("%d %s\n", base64(in, 1, out), out);
  return base64(in, 0, out);
}
