/* The likeliest path of a hidden Markov model, in costs, with the arrays of the suites' style. */
#include "check.h"

#define STATES 5
#define STEPS_ 12
#define TOKENS 4
typedef unsigned char tok_t;

int viterbi_path(tok_t obs[STEPS_], float init[STATES], float transition[STATES * STATES],
                 float emission[STATES * TOKENS], tok_t path[STEPS_])
{
  float llike[STEPS_][STATES];
  L_init: for (int s = 0; s < STATES; s++) llike[0][s] = init[s] + emission[s * TOKENS + obs[0]];
  L_timestep: for (int t = 1; t < STEPS_; t++) {
    L_curr_state: for (int curr = 0; curr < STATES; curr++) {
      float min_p = llike[t - 1][0] + transition[curr] + emission[curr * TOKENS + obs[t]];
      L_prev_state: for (int prev = 1; prev < STATES; prev++) {
        float p = llike[t - 1][prev] + transition[prev * STATES + curr] + emission[curr * TOKENS + obs[t]];
        if (p < min_p) min_p = p;
      }
      llike[t][curr] = min_p;
    }
  }
  tok_t min_s = 0;
  float min_p = llike[STEPS_ - 1][min_s];
  L_end: for (tok_t s = 1; s < STATES; s++)
    if (llike[STEPS_ - 1][s] < min_p) min_p = llike[STEPS_ - 1][min_s = s];
  path[STEPS_ - 1] = min_s;
  L_backtrack: for (int t = STEPS_ - 2; t >= 0; t--) {
    min_s = 0;
    min_p = llike[t][0] + transition[path[t + 1]];
    L_state: for (tok_t s = 1; s < STATES; s++) {
      float p = llike[t][s] + transition[s * STATES + path[t + 1]];
      if (p < min_p) { min_p = p; min_s = s; }
    }
    path[t] = min_s;
  }
  return 0;
}

int main(void)
{
  tok_t obs[STEPS_], path[STEPS_];
  float init[STATES], transition[STATES * STATES], emission[STATES * TOKENS];
  for (int i = 0; i < STEPS_; i++) obs[i] = (i * 7 + i / 3) % TOKENS;
  for (int i = 0; i < STATES; i++) init[i] = 0.5f * (float)(i + 1);
  for (int i = 0; i < STATES * STATES; i++) transition[i] = (float)((i * 13) % 11) / 4;
  for (int i = 0; i < STATES * TOKENS; i++) emission[i] = (float)((i * 17) % 7) / 8;
  return viterbi_path(obs, init, transition, emission, path);
}
