#include <stdint.h>

// What the unit computes: the model of its circuit.
uint16_t saturating_product(uint16_t sample, uint16_t factor) {
  uint32_t product = (uint32_t)sample * factor;
  return product > 65535 ? 65535 : product;
}
