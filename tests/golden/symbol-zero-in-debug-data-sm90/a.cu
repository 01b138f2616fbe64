// nvcc: -ewp
__constant__ int factors[4] = {1, 2, 3, 4};
__global__ void first(int *out) { *out = factors[*out]; }
