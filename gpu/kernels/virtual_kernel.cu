// Virtual calls: the kernel makes the objects, and a function in another file calls their methods.
#include "shapes.h"

extern "C" __global__ void virtual_calls(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shape round(i);
    square angular(i + 1);
    out[i] = measure(i % 3 ? &round : &angular);
}
