__device__ int depth_of_tree;

__global__ void child(int *out, int depth)
{
    atomicMax(&depth_of_tree, depth);
    atomicAdd(out, depth);
    if (depth < 3)
        child<<<2, 1>>>(out, depth + 1);
}
