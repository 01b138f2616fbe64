// Functions that need many registers, much stack and a barrier other than 0.
#define LIVE_VALUES 80
#define STACK_WORDS 1024

__device__ unsigned many_registers(const unsigned *seeds, unsigned value)
{
    unsigned live[LIVE_VALUES];
    unsigned sum = 0;

    // All values are read before any is used, so that they live at once.
#pragma unroll
    for (int i = 0; i < LIVE_VALUES; i++)
        live[i] = ((const volatile unsigned *)seeds)[i];
#pragma unroll
    for (int i = LIVE_VALUES - 1; i >= 0; i--)
        sum = sum * 3 + live[i] + value;
    return sum;
}

__device__ unsigned much_stack(unsigned value)
{
    volatile unsigned words[STACK_WORDS];

    for (unsigned i = 0; i < STACK_WORDS; i++)
        words[i] = value + i;
    return words[value % STACK_WORDS] + words[STACK_WORDS - 1];
}

__device__ unsigned named_barrier(unsigned value)
{
    __shared__ unsigned last;

    if (threadIdx.x == blockDim.x - 1)
        last = value;
    asm volatile("barrier.sync 5;" ::: "memory");
    return last;
}
