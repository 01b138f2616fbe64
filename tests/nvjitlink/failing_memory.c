/* A library for LD_PRELOAD. After fail_allocation(N), the Nth allocation by libnvJitLink fails, and
 * so do all later ones until the next call of fail_allocation. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static long left; /* allocations up to the one that fails; 1: the next one fails; 0: none fails */
static long failed;

void fail_allocation(long number)
{
    left = number;
    failed = 0;
}

long failed_allocations(void)
{
    return failed;
}

static int fails(const void *caller)
{
    Dl_info info;
    if (!left || !dladdr(caller, &info) || !strstr(info.dli_fname, "libnvJitLink.so"))
        return 0;
    if (left > 1) {
        left--;
        return 0;
    }
    failed++;
    return 1;
}

#define CALLER __builtin_return_address(0)

extern void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

extern void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

extern void *__libc_realloc(void *old, size_t size);
void *realloc(void *old, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(old, size);
}
