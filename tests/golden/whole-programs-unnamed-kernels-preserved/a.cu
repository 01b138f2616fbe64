__global__ void plain(int *out)
{
    *out = 1;
}
