//# header
namespace outer$n { namespace inner { __device__ int run(int x); extern __device__ int level; } }
extern "C" __device__ int plain$n(int x);
//# file
__device__ int outer$n::inner::level = $(0|2);
extern "C" __device__ int plain$n(int x) { return x + outer$n::inner::level; }
//# file
__device__ int outer$n::inner::run(int x) { $calls return plain$n(x) * level; }
__device__ int f$n(int x) { return outer$n::inner::run(x); }
