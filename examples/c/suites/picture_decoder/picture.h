/* A decoder of small grey pictures: codes of variable length, zigzag, quantization, transform. */
#ifndef PICTURE_H
#define PICTURE_H
#include <stdint.h>
#define SIDE 4
#define CELLS (SIDE * SIDE)
#define MOST_BLOCKS 4
#define STREAM 96

typedef enum { OK, BAD_MAGIC, BAD_CODE, TRUNCATED } status_t;

typedef struct {
  const uint8_t *data;
  int size, at;
  uint32_t window;
  int held;
  status_t status;
} bits_t;

typedef struct {
  uint8_t columns, rows;
  int16_t quant[CELLS];
  int16_t block[CELLS];
  int last_dc;
} picture_t;

/* bits.c */
void open_bits(bits_t *bits, const uint8_t *data, int size);
unsigned get_bits(bits_t *bits, int count);
int get_signed(bits_t *bits, int size);
/* codes.c */
int get_code(bits_t *bits);
/* transform.c */
extern const uint8_t zigzag[CELLS];
void inverse_transform(int16_t block[CELLS]);
#endif
