//# file
template <int N> __global__ void __launch_bounds__(N, $(1|2|4)) bounded$n(int *out, int x)
{
    $calls
    float sum[N / 32];
    for (int i = 0; i < N / 32; i++)
        sum[i] = out[i] * x;
    for (int i = 0; i < N / 32; i++)
        out[i] = (int)sum[(i * 7 + x) % (N / 32)];
}
template __global__ void bounded$n<$(128|256|1024)>(int *, int);
