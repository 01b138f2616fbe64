// A kernel that calls a function which another input defines, and a function of its own.
extern __device__ int defined(int);
__device__ int own(int x) { return x ^ 0x55; }
__global__ void kernel(int *p) { *p = defined(*p); }
