/* Of programs for Dynamatic: the call of a kernel from main(). */
#ifndef LOOM_DYNAMATIC_INTEGRATION_H
#define LOOM_DYNAMATIC_INTEGRATION_H
#define CALL_KERNEL(kernel, ...) kernel(__VA_ARGS__)
#endif
