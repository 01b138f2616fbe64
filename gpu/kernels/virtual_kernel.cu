// Virtual calls on objects that the kernel makes and another file measures.
#include "shapes.h"

extern "C" __global__ void virtual_calls(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shape round(i);
    square angular(i + 1);
    out[i] = measure(i % 3 ? &round : &angular);
}
