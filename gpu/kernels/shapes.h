/* Classes whose virtual tables are in shapes.cu. */
#ifndef WARPLD_GPU_KERNELS_SHAPES_H
#define WARPLD_GPU_KERNELS_SHAPES_H

struct shape {
    unsigned size;
    __device__ explicit shape(unsigned size) : size(size) {}
    __device__ virtual unsigned area() const;
    __device__ virtual unsigned corners() const;
};

struct square : shape {
    __device__ explicit square(unsigned size) : shape(size) {}
    __device__ unsigned area() const override;
    __device__ unsigned corners() const override;
};

__device__ unsigned measure(const shape *shape);

#endif
