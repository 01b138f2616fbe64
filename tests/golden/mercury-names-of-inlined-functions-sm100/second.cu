// nvcc: -lineinfo
__device__ inline int cube(int value) { return value * value * value + threadIdx.y; }
__device__ inline int negative(int value) { return -value - threadIdx.z; }

__device__ __noinline__ int removed(int value) { return negative(cube(value)); }

__global__ void cubes(int *values) { *values = cube(negative(*values)); }
