#pragma once

struct Settings {
    float scale;
    int offsets[5];
    const char *name;
};

extern __managed__ int counter;
extern __managed__ Settings shared_settings;
extern __constant__ Settings settings;
extern __constant__ double weights[7];
extern __device__ int table[1000];
extern __device__ int *table_end;
