//# file
__global__ void paint$n(cudaSurfaceObject_t surface, int *out, int x)
{
    $calls
    surf3Dwrite(make_float4(x, 1, 2, 3), surface, x * 16, x, $(0|1));
    uchar4 pixel;
    surf2Dread(&pixel, surface, x * 4, x, cudaBoundaryMode$(Zero|Clamp|Trap));
    out[x] = pixel.x + surf1Dread<short>(surface, x * 2);
}
