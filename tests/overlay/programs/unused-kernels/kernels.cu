// Kernels of each kind. The linker removes those to which no host code refers.
template <int N> __device__ int only_for_unused(int x)
{
    return x * N;
}

__device__ int used_by_others(int x)
{
    return x + 11;
}

__global__ void unused(int *out)
{
    *out = only_for_unused<3>(*out);
}

static __global__ void unused_static(int *out)
{
    *out = only_for_unused<4>(*out);
}

// Only its address is taken.
static __global__ void configured_static(int *out)
{
    *out = only_for_unused<5>(*out);
}

static __global__ void used_static(int *out)
{
    *out = used_by_others(*out);
}

template <typename T> __global__ void instantiated(T *out)
{
    *out = T(used_by_others(int(*out)));
}

template __global__ void instantiated<double>(double *out);

namespace
{
__global__ void used_anonymous(int *out)
{
    *out = 5;
}
} // namespace

void launch(int *out)
{
    used_static<<<1, 1>>>(out);
    used_anonymous<<<1, 1>>>(out);
    instantiated<<<1, 1>>>(out);
    cudaFuncSetCacheConfig(configured_static, cudaFuncCachePreferL1);
}
