//# header
struct Counter$n {
    static __device__ int total;
    static __constant__ int limits[2];
    __device__ static int next(int x);
    template <typename T> __device__ T as(T x) const { return x + T(value); }
    int value;
};
//# file
__device__ int Counter$n::total = $(0|1);
__constant__ int Counter$n::limits[2] = {$(1|2), 3};
//# file
__device__ int Counter$n::next(int x) { $calls return total += x % limits[x & 1]; }
__device__ int f$n(int x) { Counter$n counter{x}; return Counter$n::next(x) + (int)counter.as<double>(x); }
