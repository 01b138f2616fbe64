//# chance 0.08
//# file
#include <cub/device/device_reduce.cuh>
cudaError_t reduce$n(int *in, int *out, int count)
{
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, out, count);
    return cub::DeviceReduce::Sum(in, bytes, in, out, count);
}
__device__ int f$n(int x) { $calls return x; }
