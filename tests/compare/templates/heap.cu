//# file
__device__ int f$n(int x)
{
    $calls
    int *cells = (int *)malloc(sizeof(int) * (x + 1));
    if (!cells)
        return -1;
    cells[x] = x;
    int result = cells[x];
    free(cells);
    double *more = new double[x + 1];
    more[0] = result;
    result += (int)more[0];
    delete[] more;
    return result;
}
