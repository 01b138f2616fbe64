//# header
struct Material$n { float colour[3]; char name[$(5|12)]; double weight; };
extern __constant__ Material$n materials$n[$(3|50)];
//# file
__constant__ Material$n materials$n[$(3|50)] = {{{1, 2, 3}, "one", 0.5}, {{4, 5, 6}, "two", 1.5}};
static __constant__ unsigned char bytes$n[$(7|600)] = {1, 2, 3, 4};
__device__ int f$n(int x) { $calls return (int)materials$n[x % 3].weight + bytes$n[x % 7]; }
//# file
static __constant__ unsigned char bytes$n[$(11|2000)];
__constant__ const char *texts$n[] = {"first", "second"};
__global__ void show$n(int *out, int x) { out[x] = materials$n[x & 1].name[0] + bytes$n[x % 11] + texts$n[x & 1][1]; }
