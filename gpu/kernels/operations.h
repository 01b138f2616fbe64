/* The functions and tables of operations.cu. */
#ifndef WARPLD_GPU_KERNELS_OPERATIONS_H
#define WARPLD_GPU_KERNELS_OPERATIONS_H

typedef unsigned operation(unsigned a, unsigned b);

#define OPERATION_COUNT 3

__device__ operation add, subtract, multiply;

extern __device__ operation *operations[OPERATION_COUNT];
extern __constant__ operation *constant_operations[OPERATION_COUNT];

#endif
