//# header
struct Node$n { const Node$n *next; int value; };
inline __device__ int value$n = $(3|7);
inline __device__ int *address$n = &value$n;
inline __device__ Node$n nodes$n[2] = {{nullptr, 4}, {nullptr, 5}};
inline __device__ Node$n heads$n[3] = {{&nodes$n[1], 5}, {&nodes$n[0], 6}, {&nodes$n[1], 7}};
inline __constant__ int fixed$n[2] = {$(8|9), 10};
__device__ inline __noinline__ int next$n(int x) { return heads$n[x % 3].next->value + *address$n; }
inline __device__ int (*step$n)(int) = next$n;
__device__ int more$n(int x);
//# file
__device__ int more$n(int x) { $calls return step$n(x) + next$n(x + 1) + fixed$n[x & 1]; }
__global__ void write$n(int x) { value$n = x; address$n = &heads$n[x % 3].value; }
//# file
__device__ int f$n(int x)
{
    heads$n[x % 3].value += x;
    return step$n(x) + more$n(x) + fixed$n[1] + *address$n;
}
