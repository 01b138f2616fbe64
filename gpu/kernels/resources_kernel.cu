// Kernels must reserve the registers, stack and barriers that the functions which they call need.
extern __device__ unsigned many_registers(const unsigned *seeds, unsigned value);
extern __device__ unsigned much_stack(unsigned value);
extern __device__ unsigned named_barrier(unsigned value);

extern "C" __global__ void needs_registers(unsigned *out, unsigned long long argument)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = many_registers((const unsigned *)argument, i);
}

extern "C" __global__ void needs_stack(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = much_stack(i);
}

extern "C" __global__ void needs_barrier(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = named_barrier(i);
}
