// Functions that are reached only through pointers, and tables of such pointers.
#include "operations.h"

__device__ unsigned add(unsigned a, unsigned b)
{
    return a + b;
}

__device__ unsigned subtract(unsigned a, unsigned b)
{
    return a - b;
}

__device__ unsigned multiply(unsigned a, unsigned b)
{
    return a * b;
}

__device__ operation *operations[OPERATION_COUNT] = {add, subtract, multiply};
__constant__ operation *constant_operations[OPERATION_COUNT] = {multiply, add, subtract};
