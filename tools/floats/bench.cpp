// Runs one verilated unit against the host, at one token a cycle unless its consumer stalls, and prints
// how many results differ. `unit.h` names the model, its ports, and what the host computes.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "host.h"
#include "unit.h"
#include "vectors.h"
#include "verilated.h"

using vectors::Vector;

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const uint64_t count = strtoull(argv[1], nullptr, 10);
  vectors::Dice dice{strtoull(argv[2], nullptr, 10)};
  const int stalls = atoi(argv[3]);  // cycles of 16 in which the consumer refuses
  const uint64_t all = EXHAUSTIVE_BITS ? uint64_t(1) << EXHAUSTIVE_BITS : 0;
  const uint64_t total = all ? all : count;
  VerilatedContext context;
  Unit unit{&context};
  for (int k = 0; k < 6; k++) {
    set_clock(unit, k % 2 == 0, false);
    unit.eval();
  }
  std::vector<Vector> ring(256);
  uint64_t given = 0, taken = 0, wrong = 0, cycles = 0;
  Vector next{};
  bool fresh = true;
  while (taken < total) {
    if (fresh && given < total) {
      next = all ? Vector{given, 0, 0, 0} : draw(dice);
      next.expected = expected(next.a, next.b, next.c);
      fresh = false;
    }
    const bool offers = given < total;
    set_operands(unit, next.a, next.b, next.c, offers);
    unit.result_ready_i = stalls == 0 || dice.below(16) >= stalls;
    unit.eval();
    const bool enters = offers && unit.FIRST_READY;
    if (unit.result_valid_o && unit.result_ready_i) {
      // A unit without registers gives the result of what enters in this cycle.
      const Vector& was = taken == given ? next : ring[taken % ring.size()];
      if (uint64_t(unit.result_data_o) != was.expected && wrong++ < 10)
        printf("MISMATCH a=%llx b=%llx c=%llx found %llx expected %llx\n",
               (unsigned long long)was.a, (unsigned long long)was.b, (unsigned long long)was.c,
               (unsigned long long)unit.result_data_o, (unsigned long long)was.expected);
      taken++;
    }
    if (enters) {
      ring[given++ % ring.size()] = next;
      fresh = true;
    }
    set_clock(unit, true, true);
    unit.eval();
    set_clock(unit, false, true);
    if (++cycles > 40 * total + 10000) {
      printf("STUCK\n");
      return 3;
    }
  }
  printf("%llu vectors, %llu mismatches, %llu cycles\n", (unsigned long long)taken,
         (unsigned long long)wrong, (unsigned long long)cycles);
  return wrong != 0;
}
