/* The CUDA driver, opened at run time. */
#ifndef WARPLD_GPU_DRIVER_H
#define WARPLD_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long device_address;

/* Values of the driver's interface that the check uses. */
enum {
    DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    LIMIT_STACK_SIZE = 0, /* bytes per thread */
};

struct driver {
    void *library;
#define DRIVER_FUNCTION(name, symbol, parameters) int(*name) parameters;
#include "driver_functions.def"
#undef DRIVER_FUNCTION
};

/* Opens libcuda.so.1 and finds its functions. If the library or a function is missing, sets
 * *problem to the reason (valid until the next call of dlerror) and returns false. */
bool driver_open(struct driver *driver, const char **problem);

/* The driver's name for an error, e.g. CUDA_ERROR_INVALID_IMAGE. */
const char *driver_error_name(const struct driver *driver, int error);

#endif
