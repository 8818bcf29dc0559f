/* One function a construct; each is run natively and by LOOM on the same random arguments. */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 8
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(a, b) do { int swap = (a); (a) = (b); (b) = swap; } while (0)

typedef struct { int x; int y; } point;
typedef struct { point low; short weight; } box;
enum level { LOW = 3, MIDDLE, HIGH = 40 };
static const int table[3][4] = {{1, 2, 3}, {4}, {5, 6, 7, 8}};
static const uint8_t letters[6] = "loom";
static const float weights[4] = {0.1f, 0.25f, -3.5f};
static int counter;
static point pairs[2] = {{1, 2}, 3};
static const box heavy = {{1, -2}, 30};
struct vector { float c[3]; };
struct cell { uint8_t kind; struct { short at[2]; } inner; };
static const unsigned limit = 5u;

/* Loops: every relation, direction, step and sign. */
int up_lt(int n) { int s = 0; for (int i = 0; i < (n & 15); i++) s += i; return s; }
int up_le(int n) { int s = 0; for (int i = 1; i <= (n & 15); i++) s += i * i; return s; }
int up_le_many(signed char n) { int s = 0; for (int i = n; i <= 3; ++i) s += i; return s; }
int up_ne(int n) { int s = 0; for (int i = 3; i != 3 + (n & 7); i++) s ^= i; return s; }
int up_ne_around(uint8_t n) { int s = 0; for (uint8_t i = 250; i != n; i++) s += i; return s; }
int down_ne(uint8_t n) { int s = 0; for (uint8_t i = n; i != 250; i--) s += i; return s; }
int down_ge(int n) { int s = 0; for (int i = n & 15; i >= 0; i--) s = 3 * s + i; return s; }
int down_gt(int n) { int s = 0; for (int i = n & 15; i > -4; --i) s = 3 * s + i; return s; }
int down_by(int n) { int s = 0; for (int i = n & 63; i > 2; i -= 7) s = 3 * s + i; return s; }
int up_by(int n) { int s = 0, i; for (i = n & 31; i < 50; i += 6) s += i; return 100 * s + i; }
int up_by_dynamic(int n) { int s = 0, i; for (i = 0; i < (n & 31); i += 3) s += i; return 100 * s + i; }
int by_variable(int n, int d) { int s = 0; for (int i = 0; i < 40; i += (d & 3) + 1) s += i ^ n; return s; }
int times_two(int n) { int s = 0; for (int i = 1; i < (n & 1023); i *= 2) s += i; return s; }
int after_lt(int n) { int i; for (i = 5; i < (n & 15); i++) { } return i; }
int after_le(int n) { int i; for (i = 5; i <= (n & 15); i++) { } return i; }
int after_down(int n) { int i; for (i = 5; i >= (n & 7); i--) { } return i; }
int after_ne(uint8_t n) { uint8_t i; for (i = 5; i != n; i++) { } return i; }
int after_for(unsigned n) { unsigned i; for (i = 5; i < (n & 15); i++) { } return (int)i; }
int narrow_loop(int n) { int s = 0; for (uint8_t i = 0; i < 20; i++) s += i ^ n; return s; }
int narrow_signed(int n) { int s = 0; for (signed char i = -5; i <= 5; i++) s += i * n; return s; }
int narrow_both(uint8_t n) { int s = 0; for (uint8_t i = 0; i < n; i++) s += i; return s; }
int narrow_wide(short n) { int s = 0; for (short i = -3; i < n % 50; i++) s += i; return s; }
int size_bound(int n) { int s = n; for (int i = 0; i < sizeof(table) / sizeof(table[0]); i++) s += table[i][1]; return s; }
int mirrored(int n) { int s = 0; for (int i = 0; (n & 15) > i; i++) s += i; return s; }
long long_loop(long n) { long s = 0; for (long i = n; i <= n + 5; i++) s += i; return s; }
unsigned wraps(unsigned n) { unsigned s = 0; for (unsigned i = 4294967290u; i > 100u; i++) s += i ^ n; return s; }
int wraps_signed(int n) { int s = 0; for (int i = 2147483640; i > 0; i++) s += i ^ n; return s; }
int changed_inside(int n) { int s = 0; for (int i = 0; i < (n & 31); i++) { s += i; if (s & 1) i++; } return s; }
int bound_changes(int n) { int s = 0, m = n & 15; for (int i = 0; i < m; i++) { s += i; if (s > 9) m--; } return s; }
int two_counters(int n) { int s = 0; for (int i = 0, j = 9; i < j; i++, j--) s += i * j ^ n; return s; }
int empty_parts(int n) { int i = 0; n &= 15; for (;;) { if (i >= n) break; i += 2; } return i; }
int only_step(int n) { int i = 0, s = 0; for (;; i++) { if (i > (n & 7)) break; s += i; } return s; }
int only_test(int n) { int i = 0; for (; i < (n & 7);) i += 3; return i; }
int nested(int n) { int s = 0; for (int i = 0; i < 4; i++) for (int j = i; j < (n & 7); j++) s += i * j; return s; }
int while_loop(int n) { int c = 0; n &= 1023; while (n) { n &= n - 1; c++; } return c; }
int do_loop(int n) { int c = 0; n &= 255; do { c++; n >>= 1; } while (n > 0); return c; }
int while_effect(int n) { int c = 0; n &= 15; while (n-- > 0) c += n; return c * 100 + n; }
int while_assign(int n) { int c, s = 0; n &= 15; while ((c = n - s) > 3) s += c / 2; return s + c; }

/* Jumps. */
int breaks(int n) { int i; for (i = 0; i < 20; i++) { if (i * i > (n & 255)) break; } return i; }
int continues(int n) { int s = 0; for (int i = 0; i < 12; i++) { if (i & n) continue; s += i; } return s; }
int both(int n) { int s = 0; for (int i = 0; i < 20; i++) { if ((i ^ n) & 1) continue; if (s > 30) break; s += i; } return s; }
int returns(int n) { for (int i = 0; i < 9; i++) { if (i == (n & 15)) return i * 100; } return -1; }
int returns_deep(int n) { for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) if (i * j == (n & 15)) return 10 * i + j; return -n; }
int early(int n) { if (n < 0) return -1; if (n == 0) return 0; if (n & 1) { n = 3 * n; } else return n / 2; return n + 1; }
int break_inner(int n) { int s = 0; for (int i = 0; i < 5; i++) { for (int j = 0; j < 5; j++) { if (j > (n & 3)) break; s += i; } s++; } return s; }
int while_continue(int n) { int s = 0; n &= 63; while (n > 0) { n--; if (n % 3 == 0) continue; s += n; } return s; }
int do_continue(int n) { int s = 0; n &= 31; do { n--; if (n & 1) continue; s += n; } while (n > 0); return s; }
int do_break(int n) { int s = 0; n &= 31; do { if (s > 20) break; s += n; n--; } while (n > 0); return s + n; }
int return_in_while(int n) { int i = 0; while (1) { if (i * i >= (n & 1023)) return i; i++; } }
int switches(int n) { switch (n & 7) { case 0: return 5; case 1: case 2: n += 3; break; case 5: n ^= 7; default: n--; } return n; }
int fall_through(int n) { int s = 0; switch (n % 4) { case 3: s += 3; case 2: s += 2; case 1: s += 1; break; case -1: s = 9; } return s; }
int default_first(int n) { int s = 1; switch (n & 3) { default: s = 7; break; case 1: s = 2; break; case 2: s *= 4; } return s; }
int switch_in_loop(int n) { int s = 0; for (int i = 0; i < 10; i++) { switch ((i + n) & 3) { case 0: continue; case 1: s += 5; break; default: if (s > 20) return s; s++; } s += 2; } return s; }
int loop_in_switch(int n) { int s = 0; switch (n & 1) { case 0: for (int i = 0; i < 5; i++) { if (i == 3) break; s += i; } s *= 2; break; default: s = 1; } return s; }
int switch_enum(int n) { enum level l = n & 1 ? LOW : HIGH; switch (l) { case LOW: return 1; case MIDDLE: return 2; case HIGH: return 3; } return 4; }

/* Expressions and conversions. */
int promotions(signed char a, unsigned char b) { return a * b + (a >> 1) + (b << 3) + ~b; }
unsigned mixed(int a, unsigned b) { return a < b ? a + b : a - b; }
int compare_signs(int a, unsigned b) { return (a < b) + 2 * (a > (int)b) + 4 * ((unsigned char)a < (signed char)b); }
long widths(char a, short b, int c, long d) { return a + b * c - d; }
int truncations(long a) { return (char)a + (short)a + (unsigned char)a + (_Bool)a; }
int booleans(int a, int b) { bool p = a, q = b & 1; p |= q; q ^= true; return p + 2 * q + 4 * !p + 8 * (p == q); }
int bool_step(int a) { bool p = a & 1; p++; int r = p; p--; return 2 * r + p; }
int divides(int a, int b) { b |= 1; return a / b * 7 + a % b; }
unsigned divides_unsigned(unsigned a, unsigned b) { b |= 1; return a / b + a % b; }
int shifts(int a, unsigned b) { return (a << (b & 31)) ^ (a >> (b & 15)); }
unsigned long long long_shifts(unsigned long long a, int b) { return (a << (b & 63)) | (a >> (-b & 63)); }
int logic(int a, int b) { return (a && b) + 2 * (a || b) + 4 * (!a) + 8 * (a > 3 && (b < 2 || a == b)); }
int order(int a) { int n = 0; int r = (a & 1) && n++; r += (a & 2) || ++n; return 10 * r + n; }
int ternaries(int a, int b) { return a > b ? a : a == b ? 7 : b; }
long ternary_types(int a, long b) { return a > 3 ? a : b; }
int ternary_effect(int a) { int n = 5; int r = a & 1 ? n++ : --n; return 10 * r + n; }
int steps(int a) { int b = a++ + 3; b += ++a; b -= a--; b ^= --a; return a + b; }
int compounds(int a, short b) { b += a; b -= 3; b *= 5; b /= 3; b %= 100; b <<= 2; b >>= 1; b &= 0xff; b |= 0x10; b ^= a; return b; }
int compound_float(int a) { a += 1.75; a *= 0.5; return a & 0xffff; }
unsigned char narrow_compound(unsigned char a, int b) { a += b; a -= 7; a <<= 1; a >>= 2; return a; }
int commas(int a) { int b = (a++, a += 2, a * 3); return b + a; }
int macros(int a, int b) { SWAP(a, b); return MAX(a, b) - b; }
int chained(int a) { int b, c; b = c = a + 1; return b * c; }
int characters(int a) { return 'a' + '\n' + (a == 'x'); }
int sizes(int a) { return a + sizeof(int) + sizeof(point) + sizeof(long long); }
long literals(long a) { return a + 0xffffffff + 2147483648 + 017 + 1u - 3000000000u; }
int constants(int a) { const int k = 12; return a * k + limit + LOW * HIGH; }
int64_t wide(int64_t a, int64_t b) { return a * b - (a ^ b) + (a >> 3); }
uint16_t halves(uint16_t a, uint16_t b) { return (a << 8 | b >> 8) + a * b; }
int absolute(int a) { return abs(a) + (int)labs(-a); }

/* Floats. */
float sum(float a, float b) { return a * b - a / (b * b + 1.0f) + 0.1f; }
double sum_double(double a, float b) { return -a * b + 0.1 - (b - a); }
int float_compare(float a, float b) { return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * !a; }
double from_integers(int a, unsigned b, long c) { return a + b * 0.5 + (float)c; }
int to_integers(float a) { a = fabsf(a); return a < 1000.0f ? (int)(a * 3) : -1; }
float library(float a) { float b = sqrtf(fabsf(a)); return floorf(b) + ceilf(b) * 3 + truncf(-b) + roundf(b) + copysignf(b, -a); }
double library_double(double a) { return sqrt(fabs(a)) + rint(a) + fma(a, 3.0, 1.0); }
int float_truth(double a) { return a ? 3 : 4; }
float float_steps(float a) { a++; --a; a -= 2; return a--; }

/* Arrays. */
int total(const int a[N]) { int s = 0; for (int i = 0; i < N; i++) s += a[i]; return s; }
void reverse(int a[N]) { for (int i = 0, j = N - 1; i < j; i++, j--) SWAP(a[i], a[j]); }
void prefix(int a[N]) { for (int i = 1; i < N; i++) a[i] += a[i - 1]; }
int two_dimensions(int a[3][4], int n) { int s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { a[i][j] ^= n; s += a[i][j] * table[i][j]; } return s; }
void transpose(int a[4][4]) { for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) { int t = a[i][j]; a[i][j] = a[j][i]; a[j][i] = t; } }
int local_array(int n) { int a[5] = {3, 1}; for (int i = 0; i < 5; i++) a[i] += i * n; return a[0] + a[1] * a[4]; }
int local_values(int n) { int a[2][2] = {{n, 2}, {n + 1}}; return a[0][0] * a[1][0] + a[0][1] - a[1][1]; }
int local_const(int n) { static const short primes[] = {2, 3, 5, 7, 11}; return primes[(unsigned)n % 5]; }
int flat_braces(int n) { const int a[2][2] = {1, 2, 3}; return a[n & 1][1] + a[1][0]; }
int text(int n) { const char name[] = "circuit"; return name[n & 7] + letters[n % 6 & 3] + sizeof(name); }
float lookup(int n) { return weights[n & 3] * 2; }
int side_effects(int a[N]) { int i = 0; a[i++] = 5; a[i++] += a[0]; a[i] = i; int last = a[--i]; return last + i; }
int bits(uint8_t a[N]) { unsigned c = 0; for (int i = 0; i < N; i++) for (int b = 0; b < 8; b++) c = c * 2 + (a[i] >> b & 1); return (int)c; }
int guarded(int a[N], int n) { int i = 0; n &= 15; while (i < N && a[i] > n - 9) i++; return i; }
int chosen_load(int a[N], int n) { n %= 12; return n >= 0 && n < N ? a[n] : -1; }
int index_load(uint8_t a[N], int b[N]) { int s = 0; for (int i = 0; i < N; i++) s += b[a[i] & 7]--; return s; }
int bubble(short a[N]) { int swaps = 0; for (int i = N - 1; i > 0; i--) for (int j = 0; j < i; j++) if (a[j] > a[j + 1]) { short t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; swaps++; } return swaps; }
bool flags(bool a[N], int n) { a[n & 7] = !a[n & 7]; a[0] |= n & 4; return a[1] && a[2]; }
int64_t bound_from_memory(int a[N]) { int64_t s = 0; for (int i = 0; i < (a[0] & 7); i++) s += a[i]; return s; }
int bound_is_stored(int a[N]) { int s = 0; for (int i = 0; i < (a[0] & 7); i++) { s += i; a[0] += 3; } return s; }

/* Pointers. */
int walk(const int a[N]) { int s = 0; for (const int *p = a; p < a + N; p++) s += *p; return s; }
int walk_down(int a[N]) { int s = 0; int *p = a + N; while (p != a) s = 2 * s + *--p; return s; }
#pragma loom size(a, 8)
int moving(int *a, int n) { int s = 0; n &= 7; while (n-- > 0) s += *a++; return s; }
int distance(int a[N], int n) { int *p = &a[n & 7]; return (int)(p - a) * 10 + p[0]; }
int copied(int a[N], int b[N]) { int *p = a; const int *q = b; for (int i = 0; i < N; i++) *p++ = *q++ + i; return p[-1]; }
int row(int a[3][4], int n) { int *r = a[(unsigned)n % 3]; r[2] = n; return r[0] + r[3]; }
int address(int n) { int a = n, *p = &a; *p += 3; return a * *p; }

/* Functions. */
static int square(int x) { return x * x; }
static int clamp(int x, int low, int high) { if (x < low) return low; if (x > high) return high; return x; }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int row_sum(const int *r, int n) { int s = 0; for (int i = 0; i < n; i++) s += r[i]; return s; }
static void fill(int m[4], int v) { for (int i = 0; i < 4; i++) m[i] = v + i; }
static int find(const int *a, int n, int x) { for (int i = 0; i < n; i++) if (a[i] == x) return i; return -1; }
int calls(int a, int b) { return square(a) + square(b + square(2)); }
int clamped(int a) { return clamp(a, -100, 100) * 2 + clamp(a & 7, 2, 5); }
int swapped(int a, int b) { if (a > b) swap(&a, &b); return a - 2 * b; }
void swap_elements(int a[N], int n) { swap(&a[n & 7], &a[3]); }
int rows(int a[3][4]) { int s = 0; for (int i = 0; i < 3; i++) s = 2 * s + row_sum(a[i], 4); return s; }
int tail_sum(int a[N], int n) { return row_sum(a + (n & 3), 5) + row_sum(&a[1], 2); }
int filled(int n) { int m[3][4]; for (int i = 0; i < 3; i++) fill(m[i], n * i); return m[1][2] * m[2][3] + m[0][0]; }
int found(int a[N], int x) { int at = find(a, N, x & 3); return at < 0 ? 99 : at; }
int call_in_condition(int n) { int i = 0; while (square(i) < (n & 255)) i++; return i; }
int call_effect(int a[N]) { int s = 0; for (int i = 0; i < N && clamp(a[i], 0, 9) != 9; i++) s += a[i]; return s; }

/* Structs. */
static point mirror(point p) { point q = {p.y, p.x}; return q; }
int structs(int a, int b) { point p = {a, b}, q = mirror(p); q.x += 3; p = q; return p.x * 2 - p.y; }
int struct_argument(point p, int n) { return p.x * n + p.y; }
point struct_result(int a) { point p; p.x = a; p.y = a * a; return p; }
int inner_structs(int a) { box b = {{a, 2}, 7}; b.low.y += a; return b.low.x * b.low.y + b.weight; }
int struct_array(point p[N]) { int s = 0; for (int i = 0; i < N; i++) { p[i].x += i; s += p[i].x * p[i].y; } return s; }
int local_structs(int n) { point p[3] = {{1, n}, {2}}; p[2].x = n; p[2].y = 3; p[0] = p[2]; return p[0].x + p[1].x * p[1].y + p[2].y; }
static void shift(point *p, int d) { p->x += d; p->y -= d; }
int struct_pointer(point p[N], int n) { shift(&p[n & 7], n); shift(p, 2); return p[0].x; }
int struct_address(int a) { point p = {a, a}; shift(&p, 4); return p.x * p.y; }

/* Globals. */
int counts(int n) { counter += n; return counter; }
int static_local(int n) { static int last = 7; int r = last; last = n; return r; }
int global_structs(int n) { pairs[n & 1].y += n; return pairs[0].x * pairs[1].x + pairs[1].y; }
int constant_struct(int n) { return heavy.low.y * n + heavy.weight; }
int global_matrix(int n) { static int m[2][3] = {{1, 2, 3}, 4}; m[1][n & 1] += n; return m[1][0] + m[0][2]; }

/* What is rarely written, but C. */
int array_in_struct(int n) { struct vector v = {{1, 2, n}}; return (v.c[0] < v.c[2]) + 2 * (v.c[1] > 1); }
int flat_structs(int n) { box b = {n, 2, 3}; point p[2] = {1, n, n}; return b.low.x * b.weight + p[0].y - p[1].x * p[1].y; }
int unnamed_struct(int n) { struct { int q; uint8_t w; } s = {n, n}; return s.q + s.w; }
int swapped_subscript(int a[N], int n) { return (n & 3)[a]; }
int nested_ternaries(int a) { return a > 0 ? a > 10 ? 1 : 2 : a < -10 ? 3 : 4; }
int row_pointer(int m[3][4]) { int (*r)[4] = m; r++; return (*r)[1] + r[-1][2]; }
int flat_pointer(int m[3][4]) { int *p = &m[0][0]; int s = 0; for (int i = 0; i < 12; i++) s += p[i] * i; return s; }
int pointer_of_pointer_sum(int a[N]) { int *p = a + 1, *q = &p[1]; *q = 7; return *p + p[1] + (int)(q - p) + (q > p); }
int counted_bits(unsigned long long n) { return __builtin_popcountll(n) + __builtin_popcount((unsigned)n); }
int not_numbers(float a, float b) { float c = a / b; return isnan(c) ? 1 : 2; }
int do_once(int n) { do { if (n > 3) break; n += 10; } while (0); return n; }
int assigned_result(int a) { int b; return b = a + 1; }
int volatile_variable(int n) { volatile int x = n; x++; return x; }
void no_result(int a[N]) { if (a[0] & 1) return; a[1] = 3; }
int constant_bound(int n) { const int m = 5; int s = 0; for (int i = 0; i < m; i += 2) s += i * n; return s; }
int bytes_change(uint8_t a[N]) { a[0]++; --a[1]; a[2] *= 3; a[3] <<= 1; return a[0] + a[1]; }
int named_parts(int n) { struct { struct { int a, b; } in; int c; } s = {{n, 2}, 3}; return s.in.a * s.in.b + s.c; }
int arrays_in_array(struct cell c[3], int n) { c[n & 1].inner.at[1] += n; return c[0].inner.at[1] * c[1].kind + c[2].inner.at[0]; }
int likely(int n) { if (__builtin_expect(n > 3, 1)) return n; return -n; }
int literal_structs(int n) { point p = (point){n, 2}; p = mirror((point){p.x, 5}); return p.x * ((point){3, n}).y + p.y; }

/* Labels, and gotos forward. */
int labelled_loops(int a[N]) { int s = 0; outer: for (int i = 0; i < N; i++) { inner: for (int j = 0; j < i; j++) s += a[j]; } done: return s; }
int goto_end(int a[N], int n) { int s = 0; if (n < 0) goto error; for (int i = 0; i < N; i++) { if (a[i] > n) goto done; s += a[i]; } s += 100; done: s *= 2; if (s & 64) goto error; return s; error: return -1; }
int goto_next(int a[N], int n) { int s = 0; for (int i = 0; i < N; i++) { for (int j = i; j < N; j++) { if (a[j] == n) goto next; if (a[j] > 90) goto last; s += a[j]; } s++; next: ; } last: return s; }
int goto_across(int n) { int r = n; if (n & 1) goto one; r += 2; if (n & 2) goto two; r *= 3; one: r += 10; if (n & 4) goto three; two: r ^= 5; three: return r; }
int goto_switch(int n) { int r = 0; switch (n & 3) { case 0: r = 1; goto out; case 1: if (n & 4) goto same; r = 2; same: r += 7; break; default: r = 9; } r *= 2; out: return r; }
int goto_endless(int a[N]) { int i = 0; while (1) { if (a[i & 3] > i || i > 50) goto out; i++; } out: return i; }
static int first_above(const int *a, int n) { int i; for (i = 0; i < N; i++) if (a[i] > n) goto found; return -1; found: return i; }
int copies_nothing(int a[N], int n) { memcpy(a, a + 2, 0); memset(a, n, 0 * sizeof *a); memmove(a + 1, a, 0); return a[0]; }
int goto_back(int n) { int s = 0; again: s += n | 1; if (s < 20) goto again; return s; }
int goto_back_twice(int n) { int s = 0, k = 0; outer: k++; inner: s += k; if (s % 5) goto inner; if (k < (n & 7)) goto outer; return s * 100 + k; }
int goto_back_across(int n) { int s = n, k = 0; a: s += 3; k++; if (k > 12) goto out; b: s ^= k; if (s & 4) goto a; k++; if (k > 40) return -1; if (k & 1) goto b; if (s < 50) goto a; out: return s * 64 + k; }
int goto_back_in_loop(int n) { int s = 0; for (int i = 0; i < (n & 7); i++) { int t = 0; retry: t++; if (t > 7) break; if ((t + i) % 3) goto retry; if (i == 2) continue; s += t; } return s; }
int goto_to_the_start(int n) { int i = 0, s = 0; if (n > 3) goto loop; s = 7; loop: if (i < (n & 15)) { s += i * i; i++; goto loop; } return s; }
int goto_back_from_a_switch(int n) { int s = 0; n &= 255; top: switch (n & 3) { case 0: s++; n >>= 2; if (n) goto top; break; case 1: s += 10; n -= 1; goto top; default: s += 100; n >>= 1; goto top; } return s; }
int goto_same_label(int a[N]) { int i = 0; one: two: if (a[i] > 50) { i++; if (i == N) goto three; goto one; } a[i] += 60; if (++i < N) goto two; three: return i; }
int goto_in_calls(int a[N], int n) { int r = first_above(a, n); if (r < 0) goto none; return r + first_above(a, n + 5); none: return first_above(a, 0); }

/* Memory functions, copies of structs with arrays, literals and designators. */
int copies_all(int a[N], int b[N]) { int c[N]; memcpy(c, a, sizeof c); memcpy(b, c, N * sizeof(int)); return c[3] + b[7]; }
int copies_some(int a[N], int b[N], int n) { memcpy(&a[1], b + 2, (n & 3) * sizeof *a); memcpy(a + 6, b, sizeof(int)); return a[1] + a[6]; }
int moves_up(int a[N], int n) { memmove(a + (n & 3), a, 4 * sizeof(int)); return a[5]; }
int moves_down(int a[N], int n) { memmove(a, a + (n & 3), (n & 4) * sizeof(a[0])); return a[1]; }
int fills(int a[N], short b[3][4], uint8_t c[N], int n) { memset(a, 0, sizeof(int) * N); memset(b, -1, sizeof(short[3][4])); memset(c + 1, n, 5); memset(b[1], 0x12, sizeof b[1]); return a[0] + b[1][2] + c[3]; }
int copies_rows(int m[3][4], int n) { int t[3][4]; memcpy(t, m, sizeof t); memcpy(m[n & 1], t[2], sizeof t[2]); memset(t[1], 0, sizeof(t[1])); return m[1][3] + t[1][0] + t[2][1]; }
int fills_floats(float a[N]) { memset(a, 0, sizeof(float) * N); return a[2] == 0.0f; }
int copies_structs(point p[4], int n) { point q[4]; memcpy(q, p, sizeof q); memset(p, 0, sizeof(point)); memmove(&q[1], &q[0], 2 * sizeof(point)); return q[1].x + q[2].y * n + p[0].x; }
int struct_of_array(int n) { struct vector v = {{1, 2, n}}, w; w = v; v.c[2] = 0; struct cell c = {n, {{1, 2}}}, d = c; d.inner.at[n & 1] = 9; return (int)(w.c[2] > v.c[2]) + c.inner.at[0] + d.inner.at[1]; }
static int sum_of_vector(struct cell c) { c.inner.at[0] += 5; return c.inner.at[0] * c.inner.at[1] + c.kind; }
int struct_of_array_given(int n) { struct cell c = {n, {{3, n}}}; return sum_of_vector(c) + c.inner.at[0]; }
static int sum_of(const int *a, int n) { int s = 0; for (int i = 0; i < 3; i++) s += a[i] * n; return s; }
int literal_arrays(int n) { int *p = (int[]){n, 2, 3}; p[1] += n; return sum_of(p, 2) + sum_of((int[3]){1, n}, n) + (int){n} + (short){n}; }
int designated(int n) { int a[6] = {[2] = n, 4, [0] = 7}; point p = {.y = n, .x = 3}; box b = {.weight = 2, .low = {.y = 5}}; return a[0] + a[1] * 2 + a[2] * 3 + a[3] * 5 + p.x * p.y + b.low.x + b.low.y * b.weight; }
static const int designated_table[3][4] = {[1] = {1, 2}, [2][3] = 7, [0] = {[2] = 5}};
static const point designated_points[3] = {[2] = {.y = 4}, [0].x = 6};
static int designated_state[5] = {[3] = 2, [1] = 8, 9};
int designated_globals(int n) { designated_state[n & 3] += n; return designated_table[n & 1][n & 3] + designated_table[2][3] + designated_points[n & 1].x + designated_points[2].y + designated_state[2]; }
int designated_parts(int n) { struct cell c[2] = {[1].inner.at[1] = n, [0] = {.kind = 3}}; return c[1].inner.at[1] + c[1].inner.at[0] + c[0].kind; }

/* What prints, asserts or is one of GNU's expressions. */
int prints(int n) { int i = n; fprintf(stderr, "%d %s\n", i++, "text"); if (n == 1234567) { printf("%d\n", ++i); puts("end"); putchar('a' + i++); } if (n & 2) fprintf(stderr, "two\n"); fflush(stderr); return i; }
int asserts(int a[N]) { int s = 0; for (int i = 0; i < N; i++) { assert(i < N); s += a[i]; } assert(s || !s); return s; }
int statement_expression(int n) { int m = ({ int t = n * 2; t += 3; t; }); return m + __extension__ (n ^ 1); }

/* The smaller and the larger float. */
float smaller(float a, float b) { return fminf(a, b) - 2 * fmaxf(a / b, b); }
double larger(double a, double b) { return fmax(a, b) + fmin(a / 0.0 - a / 0.0, b) + copysign(a, b); }

/* Pointers that are one of several, pointers to nowhere, pointers in structs, results that are pointers. */
typedef struct { const int *data; int size; } slice;
typedef struct { int *first, *second; point *at; } views;
static int shared_table[4] = {9, 8, 7, 6};
static const int *const table_row = table[1];
static int *shared_target = &shared_table[1];
int picks(int a[N], int b[N], int n) { int *p = n & 1 ? a : b; p[n & 7] += 3; *p ^= p[2]; return p[7] - *(p + 1); }
int picks_of_three(int a[N], int b[N], int c[N], int n) { int *p = n & 1 ? a : n & 2 ? b : c, s = 0; for (int i = 0; i < N; i++) { s += p[i]; p[i] = s; } return s; }
void ping_pong(int a[N], int b[N], int n) { int *from = a, *to = b; for (int t = 0; t < (n & 3); t++) { for (int i = 1; i < N - 1; i++) to[i] = from[i - 1] + from[i + 1]; int *other = from; from = to; to = other; } }
void ping_pong_by_name(int a[N], int b[N]) { for (int t = 0; t < 3; t++) { int *from = t & 1 ? b : a, *to = t & 1 ? a : b; for (int i = 0; i < N; i++) to[i] = from[i] * 3 + t; } }
static void swap_pointers(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
int swaps_pointers(int a[N], int b[N], int n) { int *p = a, *q = b; if (n & 1) swap_pointers(&p, &q); *p = 5; q[1] = 7; return p == a; }
int picks_a_local(int a[N], int n) { int t[N] = {1, 2, 3}; const int *p = a; if (n > 0) p = t; int s = *p++; s += *p; p += 2; return s * 5 + p[-1]; }
int picks_a_table(int n) { const int *p = n & 1 ? table[0] : n & 2 ? table[2] : table_row; return p[n & 3]; }
int picks_variables(int n, int m) { int x = n, y = m; int *p = n > m ? &x : &y; *p += 10; return x * 3 + y; }
int picks_rows(int a[3][4], int b[3][4], int n) { int (*p)[4] = n & 1 ? a : b; p[n & 1][2] = 6; p++; return p[1][3] + (*p)[0]; }
int picks_structs(point p[4], box b[2], int n) { point *q = n & 1 ? &p[2] : &b[1].low; q->x += n; point r = *q; q->y = r.x; return r.y + (n & 2 ? r : b[0].low).x; }
static int of_point(point p) { return p.x - 2 * p.y; }
int picks_arguments(point p[4], int n) { point z = {n, 3}; return of_point(n & 1 ? z : p[n & 3]) + of_point(n & 2 ? mirror(z) : p[1]); }
int picks_effects(int a[N], int b[N], int n) { int i = 0; int *p = n & 1 ? &a[i++] : &b[(i += 2)]; *p = 9; return i; }
static int sum_to(const int *a, int n) { int s = 0; while (n-- > 0) s += *a++; return s; }
int passes_either(int a[N], int b[N], int n) { return sum_to(n & 1 ? a : b, 5) + sum_to(n & 2 ? a + 2 : a, 3); }
static int *find_value(int *a, int n) { for (int i = 0; i < N; i++) if (a[i] > n) return &a[i]; return NULL; }
int finds(int a[N], int n) { int *p = find_value(a, n); if (!p) return -1; *p = n; return p - a; }
int finds_in_either(int a[N], int b[N], int n) { int *p = find_value(a, n); if (p == NULL) p = find_value(b, n / 2); return p ? *p : 0; }
static int *longer(int *a, int *b, int n) { return n > 3 ? a + 1 : b; }
int longer_of(int a[N], int b[N], int n) { int *p = longer(a, b, n); p[2] = 1; return *longer(b, a, n) + (p != b) + (p == a + 1); }
int distances(int a[N], int b[N], int n) { int *p = n & 1 ? a : b, *q = p + (n & 3); return (int)(q - p) + (q > p) * 10 + (p != q) * 100 + (p < a + 4 ? n & 1 : 0); }
static int sum_slice(slice s) { int t = 0; for (int i = 0; i < s.size; i++) t += s.data[i]; return t; }
static void drop(slice *s, int n) { s->data += n; s->size -= n; }
int slices(int a[N], int n) { slice s = {a, N}, t = s; drop(&s, n & 3); t.data++; t.size = 2; return sum_slice(s) * 3 + sum_slice(t); }
int slices_of_either(int a[N], int n) { slice s = {.size = 3}; if (n & 1) s.data = a; else s.data = shared_table; if (n & 2) s = (slice){a + 4, 2}; return sum_slice(s); }
int struct_of_pointers(int a[N], int b[N], point p[4], int n) { views v = {a, b + 1, p}; views *w = &v; w->at++; w->first[n & 7] = 4; *w->second = n; w->at->x = 8; w->second = w->first; return w->second[2] + v.at[1].y; }
int points_from_outside(int n) { shared_target[n & 1] += 2; return table_row[n & 3] + shared_table[1] * 16 + shared_table[2]; }
int copies_either(int a[N], int b[N], int n) { int *p = n & 1 ? a : b; memcpy(p, p + 4, 3 * sizeof *p); memset(n & 2 ? a : b, 0, 2 * sizeof(int)); memmove(p + 1, a, 4 * sizeof(int)); return p[3]; }
int casts_pointers(int a[N], int n) { void *p = a; const int *q = (const int *)p; int *r = (int *)(void *)(a + 1); *r = n; return q[1] + (p == a); }

/* Cases inside other statements, and ranges of them. */
int case_ranges(int n) { switch (n & 31) { case 0 ... 4: return 1; case 'a' - 90 ... 20: n += 3; case 22: return n; default: return 2; } }
int cases_in_ifs(int x, int y) { int r = 0, i = 1; switch (x & 7) { int k; case 0: k = 7; if (y > 3) { r = 1; case 1: r += 2; break; } else if (y < -3) { case 2: r += 5; } else { r = k; case 3: r += y; } r *= 3; case 4: for (i = 0; i < 3; i++) { r += i; case 5: r += 10; if (y == i) break; } default: r++; } return r; }
int cases_in_while(int x, int n) { int r = 0; n &= 7; switch (x & 3) { case 0: while (n > 0) { r += n; case 1: r ^= 5; case 2: n--; if (n == 2) continue; r += 100; } } return r * 8 + n; }
int cases_in_do(int a[16], int b[16], int n) { int i = 0, k = ((n & 7) + 4) / 4; switch (n & 3) { case 0: do { b[i] = a[i]; i++; case 3: b[i] = a[i] + 1; i++; case 2: b[i] = a[i]; i++; case 1: b[i] = a[i] * 2; i++; } while (--k > 0); } return i; }
int cases_in_blocks(int n) { int r = 1; switch (n & 3) { { case 0: r = 2; } { int t = 4; case 1: t = 5; r += t; } case 2: { again: r *= 2; } } return r; }
