//# header
struct Machine$n {
    int state;
    __device__ int up(int x);
    __device__ int down(int x);
};
//# file
__device__ int Machine$n::up(int x) { return state += x; }
//# file
__device__ int Machine$n::down(int x) { $calls return state -= x; }
__device__ int f$n(int x)
{
    int (Machine$n::*step)(int) = x & 1 ? &Machine$n::up : &Machine$n::down;
    Machine$n machine{x};
    return (machine.*step)(x);
}
