// The second file, which defines the same names as names_kernel.cu.
#include "names.h"

static __device__ unsigned counter = 2000;

static __device__ __noinline__ unsigned hidden(unsigned value)
{
    return counter - value;
}

__device__ unsigned hidden_of_other_file(unsigned value)
{
    return hidden(value);
}

__device__ unsigned defined_twice_here_too(unsigned value)
{
    return defined_twice<unsigned>(value) * 1000;
}
