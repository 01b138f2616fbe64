// Each file that includes this header defines the same weak function, which has a static variable.
#ifndef WARPLD_TESTS_COMPILE_PROGRAMS_SHARED_H
#define WARPLD_TESTS_COMPILE_PROGRAMS_SHARED_H

inline __device__ int next()
{
    static __device__ int count;
    return atomicAdd(&count, 1);
}

__device__ int twice(int x);
__device__ int thrice(int x);
extern __device__ int limit;

#endif
