//# header
template <int N> struct Squares$n {
    int cells[N];
    constexpr __host__ __device__ Squares$n() : cells() { for (int i = 0; i < N; i++) cells[i] = i * i; }
};
//# file
__device__ constexpr Squares$n<$(16|200)> squares$n;
inline __device__ const int primes$n[] = {2, 3, 5, 7, 11, 13};
template <typename T> __device__ T zero$n = T($(0|4));
__device__ int f$n(int x) { $calls return squares$n.cells[x & 15] + primes$n[x % 6] + zero$n<int> + (int)zero$n<double>; }
//# file
template <typename T> __device__ T zero$n = T($(0|4));
__constant__ Squares$n<$(5|64)> constant$n;
__device__ int read$n(int x) { zero$n<int> += x; return constant$n.cells[x % 5] + zero$n<int>; }
