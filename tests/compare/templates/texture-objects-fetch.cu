//# header
__device__ float sample$n(cudaTextureObject_t texture, float x);
//# file
__device__ float sample$n(cudaTextureObject_t texture, float x)
{
    return tex1D<float>(texture, x) + tex3D<float4>(texture, x, x, x).$(x|w) + tex2DLayered<int>(texture, x, x, $(0|3));
}
//# file
__constant__ cudaTextureObject_t textures$n[$(2|16)];
__device__ int f$n(int x)
{
    $calls
    float total = sample$n(textures$n[x & 1], x);
    total += tex2Dgather<float4>(textures$n[1], x, x, $(0|2)).y + texCubemap<float>(textures$n[0], x, x, x);
    return (int)total;
}
