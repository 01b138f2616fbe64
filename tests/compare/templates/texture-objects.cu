//# header
struct Images$n { cudaTextureObject_t texture; cudaSurfaceObject_t surface; };
//# file
__global__ void image$n(Images$n images, int *out, int x)
{
    $calls
    float value = tex2D<float>(images.texture, x, x + 1) + tex1Dfetch<float>(images.texture, x);
    surf2Dwrite(value, images.surface, x * 4, 0);
    out[x] = (int)value + surf1Dread<int>(images.surface, 4 * x);
}
