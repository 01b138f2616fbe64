inline __device__ __noinline__ int choose(int x, int y)
{
    switch (x) {
    case 0: return y * 7;
    case 1: __threadfence(); return y ^ 99;
    case 2: return y + clock();
    case 3: return y / 3;
    case 4: __nanosleep(y); return y;
    case 5: return __popc(y);
    }
    return x;
}
__global__ void first(int *values) { values[0] = choose(values[1], values[2]); }
