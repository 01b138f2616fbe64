//# file
__device__ __noinline__ int f$n(int x)
{
    volatile int cells[$(4|33|200)];
    $calls
    for (int i = 0; i < 4; i++)
        cells[i] = x + i;
    return cells[x & 3];
}
