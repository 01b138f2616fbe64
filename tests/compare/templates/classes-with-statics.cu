//# header
struct Counter$n {
    __device__ static int next(int x);
    __device__ static int &total()
    {
        static int value = $(0|1);
        return value;
    }
    template <typename T> __device__ T as(T x) const { return x + T(value); }
    int value;
};
//# file
__device__ int Counter$n::next(int x) { $calls return total() += x; }
//# file
__device__ int f$n(int x)
{
    Counter$n counter{x};
    return Counter$n::next(x) + (int)counter.as<double>(x) + Counter$n::total();
}
