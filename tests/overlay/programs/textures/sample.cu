__device__ float sample(cudaTextureObject_t texture, float x, float y)
{
    return tex2D<float>(texture, x, y) + tex1Dfetch<float>(texture, int(x));
}

__device__ void store(cudaSurfaceObject_t surface, float value, int x, int y)
{
    surf2Dwrite(value, surface, x * int(sizeof value), y);
}
