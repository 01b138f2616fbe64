//# header
template <int N> struct Tower$n { __device__ static __noinline__ int build(int x) { return x + Tower$n<N - 1>::build(x * 3); } };
template <> struct Tower$n<0> { __device__ static int build(int x) { return x; } };
__device__ int ackermann$n(int m, int k);
//# file
__device__ int ackermann$n(int m, int k) { return m == 0 ? k + 1 : k == 0 ? ackermann$n(m - 1, 1) : ackermann$n(m - 1, ackermann$n(m, k - 1)); }
//# file
__device__ int f$n(int x) { $calls return Tower$n<$(3|12)>::build(x) + ackermann$n(x & 1, x); }
