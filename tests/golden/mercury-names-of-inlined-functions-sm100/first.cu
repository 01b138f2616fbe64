// nvcc: -lineinfo
__device__ inline int square(int value) { return value * value + threadIdx.x; }

__global__ void squares(int *values) { *values = square(*values); }
