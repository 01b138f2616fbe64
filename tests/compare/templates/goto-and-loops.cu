//# file
__device__ __noinline__ int f$n(int x)
{
    static const void *const none = nullptr;
    $calls
    int sum = none ? 1 : 0;
#pragma unroll $(1|4)
    for (int i = 0; i < (x & 63); i++) {
        switch ((x >> i) & 15) {
        case 0: sum += 3; break;
        case 1: sum *= 5; break;
        case 2: sum ^= x; continue;
        case 3: goto out;
        case 4: sum -= i; break;
        case 5: sum = __popc(sum); break;
        case 6: sum = ~sum; break;
        case 7: sum += $(9|13); break;
        default: sum += i;
        }
    }
out:
    return sum;
}
