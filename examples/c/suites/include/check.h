/* What a kernel reports, and what a test of it needs. */
#ifndef CHECK_H
#define CHECK_H
#include <assert.h>
#include <stdio.h>
#ifdef VERBOSE
#define TRACE(...) printf(__VA_ARGS__)
#else
#define TRACE(...) fprintf(stderr, __VA_ARGS__)
#endif
enum status { STATUS_OK = 0, STATUS_SHORT = -1, STATUS_BAD_SYMBOL = -2, STATUS_BAD_CHECK = -3 };
#endif
