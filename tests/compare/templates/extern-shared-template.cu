//# header
template <typename T> struct Dynamic$n {
    __device__ static T *get() { extern __shared__ int dynamic_bytes$n[]; return (T *)dynamic_bytes$n; }
};
template <typename T> __global__ void scan$n(T *out, int x)
{
    T *cells = Dynamic$n<T>::get();
    cells[threadIdx.x] = out[x];
    __syncthreads();
    out[x] = cells[threadIdx.x ^ $(1|3)];
}
//# file
template __global__ void scan$n<int>(int *, int);
__device__ int f$n(int x) { $calls Dynamic$n<int>::get()[threadIdx.x] = x; __syncthreads(); return Dynamic$n<short>::get()[x & 7]; }
//# file
template __global__ void scan$n<int>(int *, int);
template __global__ void scan$n<$(double|float|char)>($(double|float|char) *, int);
