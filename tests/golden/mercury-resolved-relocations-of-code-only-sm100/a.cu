// nvcc: -G
// Without the reservation symbols of shared variables count it natively all the same.
extern __shared__ float dynamic[];

__device__ float pick(int i)
{
    __shared__ float counts[12];
    return counts[i];
}

__global__ void kernel(float *out)
{
    __shared__ double own[3];
    *out = dynamic[2] + (float)own[threadIdx.x] + pick(4);
}
