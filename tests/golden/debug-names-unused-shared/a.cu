// nvcc: -G
// Debug information has an address of `unused`, which no code uses, so that it gets no room: -1.
__shared__ int unused[4];
__shared__ int used[4];

__global__ void kernel(int *out)
{
    used[threadIdx.x] = *out;
    *out = used[0];
}
