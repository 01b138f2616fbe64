//# needs 80
//# header
struct Large$n { int cells[$(1100|1500)]; };
//# file
__global__ void large$n(const __grid_constant__ Large$n data, int *out, int x)
{
    $calls
    out[x] = data.cells[x % 1000];
}
