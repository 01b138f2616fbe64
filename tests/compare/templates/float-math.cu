//# file
__device__ __noinline__ float wave$n(float x) { return $(sinf(x)|tanf(x)|powf(x, 2.1f)|expf(x) / (x + 1)|j0f(x)) + x; }
//# file
__device__ float wave$n(float x);
__device__ int f$n(int x) { $calls return (int)(wave$n(x * 0.1f) + fmodf(x, 3.7f)); }
