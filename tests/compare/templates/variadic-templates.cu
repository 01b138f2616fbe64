//# header
template <typename... T> __device__ __noinline__ int count$n(int x, T... rest) { return (x + ... + (int)rest); }
struct Visitor$n {
    template <typename T> __device__ __noinline__ void operator()(T v) { sum += (int)v; }
    int sum = 0;
};
//# file
__device__ int second$n(int x) { Visitor$n v; v(x); v(1.5f); return v.sum + count$n(x, 1L); }
//# file
__device__ int second$n(int x);
__device__ int f$n(int x)
{
    $calls
    Visitor$n v;
    v(x);
    v(2.5);
    return v.sum + count$n(x, 1, 2.0f) + count$n(x, 1L) + second$n(x);
}
