//# header
template <typename T, int N> __device__ __noinline__ T gather$n(T v)
{
    __shared__ T cells[N];
    cells[threadIdx.x % N] = v;
    __syncthreads();
    return cells[(threadIdx.x + 1) % N];
}
//# file
__device__ int side$n(int x) { return gather$n<int, 32>(x) + (int)gather$n<double, $(8|16)>(x); }
//# file
__device__ int side$n(int x);
__device__ int f$n(int x) { $calls return gather$n<int, 32>(x) + (int)gather$n<float, $(5|33)>(x) + side$n(x); }
