// Names that two files define. Static definitions remain separate; those of a template's instance
// become one.
#include "names.h"

static __device__ unsigned counter = 1000;

static __device__ __noinline__ unsigned hidden(unsigned value)
{
    return counter + value;
}

extern __device__ unsigned hidden_of_other_file(unsigned value);

extern "C" __global__ void static_names(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = hidden(i) * 10 + hidden_of_other_file(i);
}

extern "C" __global__ void weak_names(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = defined_twice<unsigned>(i) + defined_twice_here_too(i);
}
