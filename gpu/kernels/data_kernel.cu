// Reads and writes the variables of another file.
#include "data.h"

__device__ const char *text_of_other_file = text + 2;
__constant__ unsigned own_constant = 77;

extern "C" __global__ void global_data(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    zeros[i % 64] += i;
    out[i] = table[i % TABLE_SIZE] + 10 * middle_of_table[i % 4] +
             100 * (*entries[i % 2].place + entries[i % 2].tag + entries[i % 2].weight) +
             100000 * (unsigned)text_of_other_file[i % 4] + zeros[i % 64];
}

extern "C" __global__ void constant_data(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor * i + own_constant + (unsigned)(weights[i % 3] * 2) + constant_place[i % 4];
}
