// printf is the driver's: it stays undefined in what the linker writes.
extern "C" __device__ int printf(const char *format, ...);

__device__ void greet(unsigned value)
{
    printf("thread %u says %s\n", value, "hello");
}
