//# needs 90
//# file
__global__ void bulk$n(int *out, int x)
{
    __shared__ __align__(128) int cells[$(64|256)];
    __shared__ __align__(8) unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(cells);
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(to), "l"(out), "r"(place) : "memory");
    $calls
    out[x] = cells[x & 63];
}
