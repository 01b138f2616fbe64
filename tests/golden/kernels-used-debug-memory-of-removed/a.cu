// nvcc: -G
__shared__ int of_file[7];
__global__ void removed(int *out, int x)
{
    __shared__ int cells[300];
    __shared__ double third[3];
    cells[threadIdx.x] = of_file[x] = x;
    third[x] = 3;
    out[x] = cells[x] + third[x] + of_file[x + 1];
}
__global__ void named(int *out) { out[0] = of_file[1]; }
