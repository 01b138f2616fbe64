#include "variables.cuh"

__managed__ int counter = 3;
__managed__ Settings shared_settings;
__constant__ Settings settings = {2.5f, {1, 2, 3, 4, 5}, "settings"};
__constant__ double weights[7] = {1, 0.5, 0.25};
__device__ int table[1000];
__device__ int *table_end = table + 1000;
static __constant__ short steps[3] = {7, 8, 9};

__device__ int step(int i)
{
    return steps[i];
}
