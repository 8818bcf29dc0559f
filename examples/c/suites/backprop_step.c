/* One step of training a small network: forward, differences, update of the weights. */
#undef DATA_TYPE
#define DATA_TYPE float
#include "sizes.h"
#include "check.h"

#define INPUTS 3
#define HIDDEN 4
#define OUTPUTS 2
#define RATE 0.125f
#define ACTIVATE(x) ((x) / (1 + ((x) < 0 ? -(x) : (x))))

typedef DATA_TYPE TYPE;
struct layer { TYPE weights[HIDDEN * HIDDEN]; TYPE biases[HIDDEN]; int inputs, outputs; };
struct network { struct layer first, second; };

static void forward(const struct layer *layer, const TYPE *in, TYPE *out, TYPE *slope)
{
  int i, j;
  for (j = 0; j < layer->outputs; j++) {
    TYPE sum = layer->biases[j], y;
    for (i = 0; i < layer->inputs; i++) sum += layer->weights[j * layer->inputs + i] * in[i];
    out[j] = y = ACTIVATE(sum);
    slope[j] = (1 - (y < 0 ? -y : y)) * (1 - (y < 0 ? -y : y));
  }
}

static void backward(const struct layer *layer, const TYPE *delta, TYPE *before, const TYPE *slope)
{
  for (int i = 0; i < layer->inputs; i++) {
    before[i] = 0;
    for (int j = 0; j < layer->outputs; j++)
      before[i] += layer->weights[j * layer->inputs + i] * delta[j];
    before[i] *= slope[i];
  }
}

static void update(struct layer *layer, const TYPE *in, const TYPE *delta)
{
  TYPE *w = layer->weights;
  for (int j = 0; j < layer->outputs; j++) {
    for (int i = 0; i < layer->inputs; i++) *w++ -= RATE * delta[j] * in[i];
    layer->biases[j] -= RATE * delta[j];
  }
}

static struct network net = {
  .first = {{0.5f, -0.25f, 0.125f, 0.25f, 0.5f, -0.5f, -0.125f, 0.375f, 0.25f, 0.5f, 0.5f, -0.25f},
            {0.25f}, INPUTS, HIDDEN},
  .second = {{0.5f, 0.25f, -0.25f, 0.5f, -0.5f, 0.125f, 0.25f, 0.375f}, {0}, HIDDEN, OUTPUTS},
};

TYPE backprop_step(const TYPE in[INPUTS], const TYPE wanted[OUTPUTS])
{
  TYPE hidden[HIDDEN], slope_1[HIDDEN], out[OUTPUTS], slope_2[OUTPUTS];
  TYPE delta_1[HIDDEN], delta_2[OUTPUTS], loss = 0;
  struct layer *first = &net.first, *second = &net.second;

  forward(first, in, hidden, slope_1);
  forward(second, hidden, out, slope_2);
  LOOP(j, OUTPUTS) {
    TYPE miss = out[j] - wanted[j];
    loss += miss * miss;
    delta_2[j] = miss * slope_2[j];
  }
  backward(second, delta_2, delta_1, slope_1);
  update(second, hidden, delta_2);
  update(first, in, delta_1);
  return loss;
}

int main(void)
{
  static const TYPE in[2][INPUTS] = {{1, 0.5f, -1}, {-0.5f, 1, 0.25f}}, wanted[2][OUTPUTS] = {{0.5f, -0.5f}, {-0.25f, 0.75f}};
  TYPE before = 0, after = 0;
  for (int epoch = 0; epoch < 4; epoch++) {
    TYPE loss = 0;
    for (int k = 0; k < 2; k++) loss += backprop_step(in[k], wanted[k]);
    if (epoch == 0) before = loss;
    after = loss;
  }
  return !(after < before);
}
