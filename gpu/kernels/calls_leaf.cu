// A leaf that other files call.
__device__ unsigned leaf(unsigned value)
{
    return value * 2654435761u + 12345u;
}
