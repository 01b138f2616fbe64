// Indirect calls: through tables in another file, through a pointer that the host reads from
// `exported` and passes back, and through a pointer that the kernel takes itself.
#include "operations.h"

__device__ operation *exported = subtract;

extern "C" __global__ void pointers_in_global(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = operations[i % OPERATION_COUNT](i, 7);
}

extern "C" __global__ void pointers_in_constant(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = constant_operations[i % OPERATION_COUNT](i, 7);
}

extern "C" __global__ void pointer_from_host(unsigned *out, unsigned long long argument)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = ((operation *)argument)(i, 7);
}

extern "C" __global__ void pointer_in_code(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    operation *chosen = i & 1 ? multiply : add;
    out[i] = chosen(i, 7);
}
