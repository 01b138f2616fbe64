//# header
inline __device__ int &counter$n() { static int value = $(0|9); return value; }
//# file
__device__ int once$n(int x) { static int calls = $(0|1); static const char text[] = "$(a|bc)"; return calls++ + text[x & 1] + counter$n(); }
//# file
__device__ int once$n(int x);
template <int K> __device__ int keep$n(int x) { static int last[K]; last[x % K] = x; return last[(x + 1) % K]; }
__device__ int f$n(int x) { $calls counter$n() += x; return once$n(x) + keep$n<2>(x) + keep$n<$(3|77)>(x); }
