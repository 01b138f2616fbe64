// Virtual functions. Their tables are initialised data that contain code addresses.
#include "shapes.h"

__device__ unsigned shape::area() const
{
    return 3 * size * size;
}

__device__ unsigned shape::corners() const
{
    return 0;
}

__device__ unsigned square::area() const
{
    return size * size;
}

__device__ unsigned square::corners() const
{
    return 4;
}

__device__ unsigned measure(const shape *shape)
{
    return shape->area() * 8 + shape->corners();
}
