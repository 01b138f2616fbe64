// Defines the function that is undefined in calls.cu.
__device__ int defined(int x) { return x + 3; }
