// nvcc: -std=c++17 --extended-lambda
// Names are shown readable, template parameters by number, without namespaces of static functions.
template <class F, class... A> __global__ void launch(F f, A... a) { f(a...); }
template <int N, bool B, class T> __global__ void kernel(T *p) { *p = B ? N : -N; }
namespace outer {
template <class T> struct box {
    T value;
    __device__ __noinline__ T get(const T &other) const { return value * other; }
    __device__ __noinline__ box &operator[](int i) { value += i; return *this; }
};
}
namespace {
__device__ __noinline__ int hidden(int a) { return a * 7; }
__global__ void hidden_kernel(int *p) { *p = hidden(*p); }
}
static __device__ __noinline__ int local(float a, unsigned char b) { return a * b; }
__device__ __noinline__ int apply(int (*f)(int), int (&table)[4]) { return f(table[0]); }
__global__ void plain(int *p, outer::box<int> *boxes, int (*rows)[4])
{
    *p = (*boxes)[2].get(*p) + local(2, 3) + hidden(4) + apply(hidden, *rows);
}
void start(int *p)
{
    hidden_kernel<<<1, 1>>>(p);
    launch<<<1, 1>>>([=] __device__(int x) { *p = x; }, 4);
    kernel<3, true><<<1, 1>>>(p);
    kernel<-3, false><<<1, 1>>>((unsigned *)p);
}
