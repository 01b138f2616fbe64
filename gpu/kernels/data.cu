// Variables in global and constant memory, which kernels in another file use. Some contain
// addresses.
#include "data.h"

__device__ char text[] = "warpld";
__device__ unsigned table[TABLE_SIZE] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ unsigned *middle_of_table = table + 3;
__device__ entry entries[2] = {{1, &table[5], 10}, {2, &table[7], 20}};
__device__ unsigned zeros[64];
__constant__ unsigned char one_byte = 1;
__constant__ unsigned factor = 100;
__constant__ double weights[3] = {0.5, 1.5, 2.5};
__constant__ const unsigned *constant_place = &table[2];
