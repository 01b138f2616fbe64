/* The variables of data.cu. */
#ifndef WARPLD_GPU_KERNELS_DATA_H
#define WARPLD_GPU_KERNELS_DATA_H

#define TABLE_SIZE 8

struct entry {
    unsigned char tag;
    const unsigned *place;
    unsigned weight;
};

extern __device__ unsigned table[TABLE_SIZE];
extern __device__ unsigned *middle_of_table;
extern __device__ entry entries[2];
extern __device__ unsigned zeros[64];
extern __device__ char text[];
extern __constant__ unsigned factor;
extern __constant__ double weights[3];
extern __constant__ const unsigned *constant_place;

#endif
