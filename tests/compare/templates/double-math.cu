//# file
__device__ int f$n(int x)
{
    $calls
    double d = x * 0.37;
    return (int)($(sin(d) + cos(d)|exp(d) * log(d + 1)|pow(d, 1.7)|erf(d) + tgamma(d)|atan2(d, 2.0) / (d + 3)));
}
