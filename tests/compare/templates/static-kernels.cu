//# file
static __global__ void hidden$n(int *out, int x) { $calls out[threadIdx.x] = x; }
void *launch$n() { return (void *)hidden$n; }
namespace {
template <typename T> __global__ void anonymous$n(T *out, int x) { out[0] = T(x); }
}
void start$n(int *p) { anonymous$n<int><<<1, 1>>>(p, 1); hidden$n<<<1, 32>>>(p, 2); }
