//# header
extern __constant__ int weights$n[$(4)];
extern __constant__ double factor$n;
//# file
__constant__ int weights$n[$(4)] = {1, 2, 3, $(4|9)};
__constant__ double factor$n = $(1.5|0.25);
//# file
__constant__ char text$n[] = "$(some|more) text";
__constant__ int *pointer$n;
__device__ int f$n(int x)
{
    $calls
    return weights$n[x & 3] + text$n[x & 7] + (int)(factor$n * x) + (pointer$n ? *pointer$n : 0);
}
