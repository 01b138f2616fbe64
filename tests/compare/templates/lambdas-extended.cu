//# header
template <typename F> __global__ void launch$n(F f, int *out, int x) { out[x] = f(x); }
//# file
__device__ int value$n(int x) { $calls return x + $(4|5); }
__device__ int f$n(int x) { return value$n(x) * 2; }
struct Functor$n { int a; __device__ int operator()(int x) const { return value$n(x) + a; } };
void start$n(int *p) { launch$n<<<1, 1>>>(Functor$n{3}, p, 1); }
//# file
struct Other$n { double a[$(1|30)]; __device__ int operator()(int x) const { return (int)a[0] + x; } };
void start_other$n(int *p) { launch$n<<<1, 1>>>(Other$n{}, p, 1); }
