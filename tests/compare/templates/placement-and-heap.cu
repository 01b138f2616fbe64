//# file
#include <new>
struct Thing$n { int v; __device__ Thing$n(int x) : v(x) {} __device__ ~Thing$n() { v = 0; } };
__device__ __align__(16) char room$n[$(16|256)];
__device__ int f$n(int x)
{
    $calls
    Thing$n *thing = new (room$n) Thing$n(x);
    Thing$n *many = (Thing$n *)malloc(sizeof(Thing$n) * $(2|x));
    int result = thing->v + (many ? many[1].v : 0);
    thing->~Thing$n();
    free(many);
    return result;
}
