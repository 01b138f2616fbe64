// How many barriers a loop initialises is not known.
__device__ void initialise(unsigned barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ __noinline__ void many(unsigned barriers, unsigned count)
{
#pragma unroll 1
    for (unsigned i = 0; i < count; i++)
        initialise(barriers + 8 * i, count);
}

__device__ __noinline__ void many_others(unsigned barriers, unsigned count)
{
#pragma unroll 1
    for (unsigned i = 0; i < count; i++)
        initialise(barriers + 8 * i, 1);
}

__device__ __noinline__ void one(unsigned barriers, unsigned count) { initialise(barriers, count); }

__global__ void both(unsigned barriers, unsigned count)
{
    many(barriers, count);
    many_others(barriers, count);
}

__global__ void many_and_one(unsigned barriers, unsigned count)
{
    many(barriers, count);
    one(barriers, count);
}

__global__ void own(unsigned barriers, unsigned count)
{
    initialise(barriers + 80, count);
    many(barriers, count);
}
