//# chance 0.7
//# file
#include <cuda/std/complex>
#include <cuda/std/limits>
__device__ cuda::std::complex<$(float|double)> point$n;
__device__ int f$n(int x)
{
    $calls
    cuda::std::complex<$(float|double)> c(x, x + 1);
    c = c * point$n / (c + c);
    point$n = c;
    return (int)c.real() + cuda::std::numeric_limits<int>::max() % (x + 3);
}
