//# chance 0.5
//# file
#include <curand_kernel.h>
__device__ curandState$(XORWOW|Philox4_32_10|MRG32k3a)_t state$n[$(1|4)];
__global__ void seed$n(int x) { curand_init(x, 0, 0, &state$n[0]); }
__device__ int f$n(int x) { $calls return (int)curand(&state$n[0]) + (int)(curand_normal(&state$n[0]) * x); }
