//# file
#include <mma.h>
__device__ int f$n(int x)
{
    using namespace nvcuda::wmma;
    __shared__ half data[256];
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    $calls
    fill_fragment(c, 0.0f);
    load_matrix_sync(a, data, 16);
    load_matrix_sync(b, data, 16);
    mma_sync(c, a, b, c);
    return (int)c.x[0] + x;
}
