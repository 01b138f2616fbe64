//# chance 0.6
//# file
#include <cuda/std/span>
#include <cuda/std/variant>
__device__ __noinline__ int visit$n(const cuda::std::variant<int, float, short> &v)
{
    return cuda::std::visit([](auto x) { return (int)(x * $(2|3)); }, v);
}
__device__ int f$n(int x)
{
    int cells[$(4|9)] = {x, x + 1};
    $calls
    cuda::std::variant<int, float, short> v = x;
    if (x & 1)
        v = 2.5f;
    cuda::std::span<int> all(cells);
    return visit$n(v) + all[x & 3] + (int)all.size();
}
