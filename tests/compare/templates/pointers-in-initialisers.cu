//# header
extern __device__ int target$n[8];
struct Pair$n { int *pointer; const char *name; long value; };
//# file
__device__ int target$n[8] = {1, 2};
__device__ int zero$n[$(3|17)];
//# file
extern __device__ int zero$n[];
__device__ Pair$n pairs$n[2] = {{target$n + $(1|3), "one", 1}, {zero$n, "two", 2}};
__constant__ int *where$n = &target$n[$(0|5)];
__device__ int f$n(int x)
{
    $calls
    return pairs$n[x & 1].pointer[0] + *where$n + pairs$n[x & 1].name[0];
}
