//# header
template <typename F> __device__ __noinline__ int apply$n(F f, int x) { return f(x) + f(x + 1); }
//# file
__device__ int f$n(int x)
{
    int y = x * $(3|5);
    $calls
    auto add = [=](int z) { return z + y; };
    auto count = [&y](int z) { y += z; return y; };
    int (*plain)(int) = [](int z) { return z ^ 5; };
    return apply$n(add, x) + apply$n(count, y) + apply$n(plain, x);
}
