//# header
__device__ int sum$n(int x);
//# file
__device__ int sum$n(int x)
{
    __shared__ int cells[$(32|64|7)];
    __shared__ $(char|short|double) more[$(3|5)];
    cells[threadIdx.x % 7] = x;
    more[0] = x;
    __syncthreads();
    return cells[(x + 1) % 7] + (int)more[0];
}
//# file
__device__ int f$n(int x)
{
    __shared__ float own[$(1|9)];
    $calls
    own[0] = x;
    __syncthreads();
    return sum$n(x) + (int)own[0];
}
