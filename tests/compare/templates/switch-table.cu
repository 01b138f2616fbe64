//# file
__device__ __noinline__ int f$n(int x)
{
    $calls
    switch (x) {
    case 0: return x * 3;
    case 1: return __popc(x) + 9;
    case 2: return __clz(x) - 4;
    case 3: return x / 7;
    case 4: return x % $(11|12);
    case 5: x = __brev(x); break;
    case 6: x = x * x * x; break;
    case 7: return __ffs(x);
    case 8: return x ^ 0x5555;
    case 9: return (int)sqrtf((float)x);
    default: return -x;
    }
    return x + 1;
}
