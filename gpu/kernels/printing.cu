// The driver defines printf, so it is undefined in the linker's output.
extern "C" __device__ int printf(const char *format, ...);

__device__ void greet(unsigned value)
{
    printf("thread %u says %s\n", value, "hello");
}
