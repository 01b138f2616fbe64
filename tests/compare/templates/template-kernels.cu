//# header
template <typename T, int N> __global__ void run$n(T *out, T x)
{
    __shared__ T cells[N];
    cells[threadIdx.x % N] = x;
    __syncthreads();
    if (x > T(3))
        out[0] = cells[(threadIdx.x + 1) % N] / (x + T(1));
}
//# file
template __global__ void run$n<int, 16>(int *, int);
template __global__ void run$n<double, $(3|70)>(double *, double);
__device__ int f$n(int x) { $calls return x - 1; }
//# file
template __global__ void run$n<int, 16>(int *, int);
template __global__ void run$n<$(float|long|short), 9>($(float|long|short) *, $(float|long|short));
