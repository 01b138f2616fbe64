// The constants of the copy that is rejected here count for the number of the kernel's.
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
__global__ void second(int *values)
{
    int y = choose(values[1], values[2]);
    switch (values[3]) {
    case 0: y *= 9; break;
    case 1: __threadfence(); y ^= 77; break;
    case 2: y -= clock(); break;
    case 3: y = y / 5; break;
    case 4: __nanosleep(y); break;
    case 5: y = __brev(y); break;
    }
    values[0] = y;
}
