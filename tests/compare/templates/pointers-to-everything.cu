//# header
struct Table$n { int (*call)(int); int *data; const double *constant; const Table$n *next; };
extern __device__ const Table$n second$n;
__device__ int called$n(int x);
//# file
__device__ int data$n[$(4|30)] = {7};
__device__ int called$n(int x) { $calls return x + data$n[1]; }
__device__ extern const Table$n first$n = {called$n, data$n + $(0|3), nullptr, &second$n};
//# file
__constant__ double constant$n[$(1|5)] = {3.5};
extern __device__ int data$n[];
__device__ extern const Table$n second$n = {called$n, &data$n[$(1|2)], constant$n, nullptr};
__device__ int f$n(int x) { const Table$n *t = &second$n; return t->call(x) + t->data[0]; }
