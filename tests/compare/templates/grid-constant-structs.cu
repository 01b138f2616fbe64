//# needs 75
//# header
struct Setting$n { double a[$(2|90)]; int (*call)(int); const char *name; };
__device__ int read$n(const Setting$n &setting, int x);
//# file
__device__ int read$n(const Setting$n &setting, int x) { return (int)setting.a[x & 1] + (setting.call ? setting.call(x) : 0); }
//# file
__global__ void set$n(const __grid_constant__ Setting$n setting, int *out, int x) { $calls out[x] = read$n(setting, x); }
__global__ void copy$n(Setting$n setting, int *out, int x) { setting.a[x & 1] += 1; out[x] = read$n(setting, x); }
