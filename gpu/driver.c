/* Opens the CUDA driver at run time. The check is not linked with the driver, so that it can be
 * built and run on a machine without one, where it reports why it is skipped. */
#include "driver.h"

#include <dlfcn.h>
#include <string.h>

bool driver_open(struct driver *driver, const char **problem)
{
    static const struct {
        const char *symbol;
        size_t member;
    } functions[] = {
#define DRIVER_FUNCTION(name, symbol, parameters) {symbol, offsetof(struct driver, name)},
#include "driver_functions.def"
#undef DRIVER_FUNCTION
    };

    driver->library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver->library) {
        *problem = dlerror();
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *address = dlsym(driver->library, functions[i].symbol);
        if (!address) {
            *problem = dlerror();
            return false;
        }
        /* memcpy, because ISO C has no conversion from an object pointer to a function pointer. */
        memcpy((char *)driver + functions[i].member, &address, sizeof address);
    }
    return true;
}

const char *driver_error_name(const struct driver *driver, int error)
{
    const char *name = NULL;
    if (driver->get_error_name(error, &name) || !name)
        return "unknown error";
    return name;
}
