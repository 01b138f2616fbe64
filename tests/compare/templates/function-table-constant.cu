//# header
typedef int (*operation$n)(int, int);
//# file
static __device__ int plus$n(int a, int b) { return a + b; }
__device__ int times$n(int a, int b) { int x = a; $calls return x * b; }
__$(constant|device)__ operation$n local$n[2] = {plus$n, times$n};
__device__ int use$n(int x) { return local$n[x & 1](x, 3); }
//# file
__device__ int apart$n(int a, int b) { return a / (b + 1); }
extern __device__ int times$n(int a, int b);
extern __device__ int use$n(int x);
static __device__ operation$n mine$n[] = {apart$n, times$n, nullptr};
__device__ int f$n(int x)
{
    operation$n chosen = mine$n[x % 2];
    return chosen(x, 4) + use$n(x);
}
