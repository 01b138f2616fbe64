// The function that calls the leaf, and one whose arguments do not all fit into registers.
extern __device__ unsigned leaf(unsigned value);

__device__ unsigned middle(unsigned value)
{
    return leaf(value + 1) * 3 + leaf(value + 2);
}

__device__ unsigned many_arguments(unsigned a, unsigned b, unsigned c, unsigned d,
                                   unsigned long long e, unsigned f, unsigned g, unsigned h,
                                   unsigned i, unsigned j, unsigned k, unsigned l)
{
    return a + 2 * b + 3 * c + 5 * d + 7 * (unsigned)(e >> 32) + 11 * (unsigned)e + 13 * f +
           17 * g + 19 * h + 23 * i + 29 * j + 31 * k + 37 * l;
}
