// What calls.cu needs.
__device__ int defined(int x) { return x + 3; }
