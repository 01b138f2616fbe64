// The copy here is rejected, but its tables stay. Two labels lead to one another's places.
inline __device__ __noinline__ int two_switches(int x, int y)
{
    switch (x) {
    case 1: y *= 7; break;
    case 0: y ^= 99; __threadfence(); break;
    case 2: y += clock(); break;
    case 3: y = y / 3; break;
    case 4: __nanosleep(y); break;
    case 5: y = __popc(y); break;
    }
    switch (y) {
    case 0: x *= 7; break;
    case 1: x ^= 99; __threadfence(); break;
    case 2: x += clock(); break;
    case 3: x = x / 5; break;
    }
    return x + y;
}
__device__ int function(int x) { return two_switches(x, 3 * x); }
