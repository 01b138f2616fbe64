// A kernel that calls two functions. Another input defines one of them, this file the other.
extern __device__ int defined(int);
__device__ int own(int x) { return x ^ 0x55; }
__global__ void kernel(int *p) { *p = defined(*p); }
