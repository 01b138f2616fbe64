//# chance 0.7
//# file
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
__device__ cuda::std::array<int, $(3|17)> table$n = {1, 2, 3};
__device__ cuda::std::optional<int> maybe$n(int x) { return x > $(2|9) ? cuda::std::optional<int>(x) : cuda::std::nullopt; }
//# file
#include <cuda/std/optional>
#include <cuda/std/tuple>
__device__ cuda::std::optional<int> maybe$n(int x);
__device__ int f$n(int x)
{
    $calls
    auto pair = cuda::std::make_tuple(x, x * 0.5f, (char)x);
    return maybe$n(x).value_or(5) + cuda::std::get<0>(pair) + (int)cuda::std::get<1>(pair);
}
