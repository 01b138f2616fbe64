//# header
__device__ int run$n(int x);
//# file
namespace {
struct Hidden$n { int v; __device__ virtual int go(int x) { return v * x; } };
__device__ Hidden$n *hidden$n;
__constant__ double factors$n[$(2|6)] = {1.5, 2.5};
__global__ void own$n(int *out, int x) { out[x] = (int)factors$n[x & 1]; }
}
void start_a$n(int *p) { own$n<<<1, 32>>>(p, 1); }
__device__ int run$n(int x) { Hidden$n h; h.v = x; Hidden$n *p = x > 7 ? hidden$n : &h; return p->go(x); }
//# file
namespace {
struct Hidden$n { double d; __device__ virtual int go(int x) { return (int)(d * x); } };
__global__ void own$n(int *out, int x) { $calls out[x] = x * 2; }
}
void start_b$n(int *p) { own$n<<<1, 32>>>(p, 1); }
__device__ int f$n(int x) { Hidden$n h; h.d = $(0.5|7); Hidden$n *volatile p = &h; return ((Hidden$n *)p)->go(x) + run$n(x); }
