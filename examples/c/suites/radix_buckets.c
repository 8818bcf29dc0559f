/* A radix sort of four bits a pass, of two buffers whose roles change. */
#include <stdint.h>
#include "check.h"

#define SIZE 32
#define NUMOFBLOCKS 8
#define ELEMENTSPERBLOCK 4
#define RADIXSIZE 4
#define BUCKETSIZE NUMOFBLOCKS * RADIXSIZE
#define MASK 0x3
#define BITS 8
#define TYPE int32_t

void local_scan(int bucket[BUCKETSIZE])
{
  int radixID, i, bucket_indx;
  local_1: for (radixID = 0; radixID < BUCKETSIZE / 4; radixID++) {
    local_2: for (i = 1; i < 4; i++) {
      bucket_indx = radixID * 4 + i;
      bucket[bucket_indx] += bucket[bucket_indx - 1];
    }
  }
}

void sum_scan(int sum[RADIXSIZE * 2], int bucket[BUCKETSIZE])
{
  int radixID, bucket_indx;
  sum[0] = 0;
  sum_1: for (radixID = 1; radixID < RADIXSIZE * 2; radixID++) {
    bucket_indx = radixID * 4 - 1;
    sum[radixID] = sum[radixID - 1] + bucket[bucket_indx];
  }
}

void last_step_scan(int bucket[BUCKETSIZE], int sum[RADIXSIZE * 2])
{
  int radixID, i, bucket_indx;
  last_1: for (radixID = 0; radixID < RADIXSIZE * 2; radixID++) {
    last_2: for (i = 0; i < 4; i++) {
      bucket_indx = radixID * 4 + i;
      bucket[bucket_indx] = bucket[bucket_indx] + sum[radixID];
    }
  }
}

void init(int bucket[BUCKETSIZE])
{
  int i;
  init_1: for (i = 0; i < BUCKETSIZE; i++) {
    bucket[i] = 0;
  }
}

void hist(int bucket[BUCKETSIZE], TYPE a[SIZE], int exp)
{
  int blockID, i, bucket_indx, a_indx;
  blockID = 0;
  hist_1: for (blockID = 0; blockID < NUMOFBLOCKS; blockID++) {
    hist_2: for (i = 0; i < 4; i++) {
      a_indx = blockID * ELEMENTSPERBLOCK + i;
      bucket_indx = ((a[a_indx] >> exp) & MASK) * NUMOFBLOCKS + blockID + 1;
      if (bucket_indx < BUCKETSIZE) bucket[bucket_indx]++;
    }
  }
}

void update(TYPE b[SIZE], int bucket[BUCKETSIZE], TYPE a[SIZE], int exp)
{
  int i, blockID, bucket_indx, a_indx;
  blockID = 0;
  update_1: for (blockID = 0; blockID < NUMOFBLOCKS; blockID++) {
    update_2: for (i = 0; i < 4; i++) {
      bucket_indx = ((a[blockID * ELEMENTSPERBLOCK + i] >> exp) & 0x3) * NUMOFBLOCKS + blockID;
      a_indx = blockID * ELEMENTSPERBLOCK + i;
      b[bucket[bucket_indx]] = a[a_indx];
      bucket[bucket_indx] += 1;
    }
  }
}

void ss_sort(TYPE a[SIZE], TYPE b[SIZE], int bucket[BUCKETSIZE], int sum[RADIXSIZE * 2])
{
  int exp = 0;
  int valid_buffer = 0;
  #define BUFFER_A 0
  #define BUFFER_B 1
  sort_1: for (exp = 0; exp < BITS; exp += 2) {
    init(bucket);
    if (valid_buffer == BUFFER_A) {
      hist(bucket, a, exp);
    } else {
      hist(bucket, b, exp);
    }
    local_scan(bucket);
    sum_scan(sum, bucket);
    last_step_scan(bucket, sum);
    if (valid_buffer == BUFFER_A) {
      update(b, bucket, a, exp);
      valid_buffer = BUFFER_B;
    } else {
      update(a, bucket, b, exp);
      valid_buffer = BUFFER_A;
    }
  }
}

int main(void)
{
  TYPE a[SIZE], b[SIZE];
  int bucket[BUCKETSIZE], sum[RADIXSIZE * 2];
  for (int i = 0; i < SIZE; i++) a[i] = (TYPE)((i * 167 + 13) & 0xFF);
  ss_sort(a, b, bucket, sum);
  for (int i = 1; i < SIZE; i++)
    if (a[i - 1] > a[i]) return 1;
  return 0;
}
