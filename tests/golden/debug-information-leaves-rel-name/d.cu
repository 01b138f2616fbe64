// nvcc: -G
__global__ void k3(int *out, int x)
{

    out[x] = x;
}
