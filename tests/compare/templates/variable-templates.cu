//# header
template <typename T> __device__ __noinline__ T twice$n(T x) { return x + x; }
template <typename T> __device__ __noinline__ T halve$n(T x) { return x / T($(2|3)); }
template <typename T> __device__ T (*functions$n[2])(T) = {twice$n<T>, halve$n<T>};
template <typename T> __device__ T last$n = T(5);
template <typename T> __device__ T *place$n = &last$n<T>;
__device__ inline __noinline__ int counted$n(int x)
{
    static int count = $(1|2);
    static const char *text = "counted";
    count += x;
    return count + text[x & 3];
}
__device__ int more$n(int x);
//# file
__device__ int more$n(int x) { $calls return functions$n<int>[x & 1](x) + counted$n(x) + *place$n<int>; }
//# file
__device__ int f$n(int x)
{
    float y = functions$n<float>[x & 1](x * 1.5f) + *place$n<float>;
    return int(y) + functions$n<int>[~x & 1](x) + counted$n(x) + more$n(x);
}
