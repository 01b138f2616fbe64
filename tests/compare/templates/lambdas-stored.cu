//# header
template <typename F> struct Holder$n { F f; __device__ __noinline__ int operator()(int x) const { return f(x); } };
template <typename F> __device__ Holder$n<F> hold$n(F f) { return {f}; }
//# file
__device__ int (*plain$n)(int) = nullptr;
__global__ void set$n() { plain$n = [](int x) { return x * $(3|11); }; }
__device__ int f$n(int x)
{
    $calls
    auto first = hold$n([=](int y) { return x + y; });
    auto second = hold$n([&](auto y) { return (int)(y * $(2|2.5)); });
    return first(x) + second(x) + (plain$n ? plain$n(x) : 0);
}
//# file
__device__ int again$n(int x) { return hold$n([](int y) { return y - 1; })(x); }
