//# file
__device__ __noinline__ int heavy$n(int x) { double v[$(8|30)]; for (double &d : v) d = x++ * 0.5; double s = 1; for (double d : v) s = s * d + d / (s + 1); return (int)s; }
//# file
__device__ int heavy$n(int x);
__global__ void __maxnreg__($(128|255)) limited$n(int *out, int x) { $calls out[x] = heavy$n(x); }
__global__ void __launch_bounds__($(64|512)) bounded$n(int *out, int x) { out[x] = heavy$n(x) + x; }
