/* Records the arguments and results of a kernel's calls in the file that LOOM_RECORD names.

   A call is its length in bytes, then the elements of its arguments before and after the call and of
   its result, as the wrapper gives them. A length of all ones is followed by the number of all
   calls; it is written when the program ends by itself. All numbers have 64 bits. LOOM_RECORD_CALLS
   are kept, with up to LOOM_RECORD_ELEMENTS elements in all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *elements;
static unsigned long long used, room, calls, most, elements_left;
static FILE *record;

static void fail(const char *what) {
  fprintf(stderr, "loom: the recording failed: %s\n", what);
  _Exit(97);
}

static void finish(void) {
  unsigned long long end = ~0ULL;
  fwrite(&end, sizeof end, 1, record);
  fwrite(&calls, sizeof calls, 1, record);
  if (fclose(record) != 0) fail("the file cannot be written");
}

void loom_record_begin(void) {
  if (record == NULL) {
    const char *name = getenv("LOOM_RECORD"), *limit = getenv("LOOM_RECORD_CALLS");
    record = name == NULL ? NULL : fopen(name, "wb");
    if (record == NULL) fail("the file cannot be opened");
    most = limit == NULL ? 0 : strtoull(limit, NULL, 10);
    limit = getenv("LOOM_RECORD_ELEMENTS");
    elements_left = limit == NULL ? 0 : strtoull(limit, NULL, 10);
    atexit(finish);
  }
  calls++;
  used = 0;
}

void loom_record_put(const void *from, unsigned long long size) {
  if (calls > most) return;
  if (elements_left-- == 0) fail("too many elements");
  if (used + size > room) {
    room = 2 * (used + size);
    elements = realloc(elements, room);
    if (elements == NULL) fail("no memory");
  }
  memcpy(elements + used, from, size);
  used += size;
}

void loom_record_end(void) {
  if (calls > most) return;
  fwrite(&used, sizeof used, 1, record);
  fwrite(elements, 1, used, record);
  fflush(record);
}
