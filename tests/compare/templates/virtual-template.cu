//# header
template <typename T, int K> struct Stage$n {
    T state{};
    __device__ virtual T step(T v) { state += v; return state * T(K); }
    __device__ __noinline__ T twice(T v) { return step(v) + step(v); }
};
template <typename T> struct Final$n final : Stage$n<T, $(2|7)> {
    __device__ T step(T v) override { return v - this->state; }
};
//# file
__device__ int other$n(int x) { Stage$n<double, $(2|7)> s; Final$n<float> f; return (int)(s.twice(x) + f.twice(x)); }
//# file
__device__ int other$n(int x);
__device__ int f$n(int x)
{
    $calls
    Final$n<int> a;
    Stage$n<$(int|long long), $(2|7)> b;
    Stage$n<int, $(2|7)> *which = &a;
    return (int)(a.twice(x) + b.twice(x)) + which->step(x) + other$n(x);
}
