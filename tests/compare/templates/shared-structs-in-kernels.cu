//# header
struct __align__($(8|16|64)) Tile$n { float cells[$(4|12)]; char tag; };
//# file
__global__ void tiles$n(int *out, int x)
{
    __shared__ Tile$n tiles[$(2|20)];
    __shared__ short counts[3][$(5|7)];
    __shared__ bool done;
    $calls
    tiles[x & 1].cells[x & 3] = x;
    counts[x % 3][x % 5] = x;
    if (!threadIdx.x)
        done = x;
    __syncthreads();
    out[x] = (int)tiles[0].cells[1] + counts[1][2] + done;
}
//# file
static __shared__ Tile$n global_tile$n;
__device__ int f$n(int x) { global_tile$n.tag = x; __syncthreads(); return global_tile$n.tag + 1; }
