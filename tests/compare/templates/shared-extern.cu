//# file
extern __shared__ int dynamic$n[];
__device__ int f$n(int x)
{
    $calls
    dynamic$n[threadIdx.x] = x;
    __syncthreads();
    return dynamic$n[threadIdx.x ^ 1];
}
//# file
extern __shared__ __align__($(8|16)) double other$n[];
__global__ void dynamic$n(int *out, int x)
{
    other$n[threadIdx.x] = x;
    __syncthreads();
    out[threadIdx.x] = (int)other$n[threadIdx.x ^ 1];
}
