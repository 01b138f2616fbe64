// The second of the two functions that call each other.
extern __device__ unsigned even_steps(unsigned value);

__device__ unsigned odd_steps(unsigned value)
{
    return value == 0 ? 1000 : 3 + even_steps(value - 1);
}
