/* Problem sizes of the linear algebra kernels. */
#ifndef SIZES_H
#define SIZES_H
#if !defined(MINI) && !defined(LARGE)
#error "choose a size: -DMINI or -DLARGE"
#endif
#ifdef MINI
#define NI 6
#define NJ 5
#define NK 7
#define STEPS 4
#else
#define NI 64
#define NJ 72
#define NK 80
#define STEPS 50
#endif
#ifndef DATA_TYPE
#define DATA_TYPE double
#endif
#define LOOP(i, n) for (int i = 0; i < (n); i++)
#endif
