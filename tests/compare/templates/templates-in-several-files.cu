//# header
template <typename T> __device__ __noinline__ T scale$n(T value, int by)
{
    static __device__ T memory = T($(1|2|3));
    memory = memory + value;
    return memory * T(by);
}
template <int N> struct Table$n {
    int entry[N];
    __device__ int sum() const
    {
        int total = 0;
        for (int i = 0; i < N; i++)
            total += entry[i];
        return total;
    }
};
__device__ float other$n(float x);
//# file
__device__ float other$n(float x) { return scale$n<float>(x, 3) + scale$n<int>((int)x, 2); }
//# file
__device__ int f$n(int x)
{
    $calls
    Table$n<$(3|8|40)> table;
    for (int &e : table.entry)
        e = x++;
    return scale$n<int>(x, 2) + (int)other$n(x) + table.sum();
}
