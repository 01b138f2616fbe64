// Kernels with different shared memory, which all call a function in another file. Two of them keep
// values in one region while that function uses another: if the two overlap, results are wrong.
#define BLOCK 64

extern __device__ unsigned sum_of_block(unsigned value);
extern __device__ void keep_at_launch(unsigned value);
extern __device__ unsigned reversed_at_launch();
extern __device__ unsigned read_through(const unsigned *place);

extern "C" __global__ void shared_in_function(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sum_of_block(i) + threadIdx.x;
}

extern "C" __global__ void shared_in_both(unsigned *out, unsigned long long)
{
    __shared__ unsigned char flags[5];
    __shared__ unsigned own[BLOCK];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    own[threadIdx.x] = 3 * i;
    if (threadIdx.x < 5)
        flags[threadIdx.x] = threadIdx.x + 1;
    unsigned sum = sum_of_block(i);
    out[i] = sum + read_through(&own[(threadIdx.x + 1) % BLOCK]) + flags[threadIdx.x % 5];
}

extern "C" __global__ void shared_at_launch(unsigned *out, unsigned long long)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    keep_at_launch(i);
    unsigned sum = sum_of_block(i);
    out[i] = reversed_at_launch() + sum;
}
