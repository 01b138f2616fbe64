/* The exported functions: plain names, and a versioned alias of each for every release. Programs
 * that are built with NVIDIA's header of a release refer to the alias of that release. */
#include <stddef.h>
#include <stdint.h>

#include "nvjitlink/calls.h"
#include "nvjitlink/release.h"
#include "warpld_nvjitlink.h"

#define ALIAS(name, release)                                                                       \
    extern __typeof__(nvJitLink##name) __nvJitLink##name##_##release                               \
        __attribute__((alias("nvJitLink" #name), visibility("default")));

#if NVJITLINK_MAJOR == 12
#define ALIASES(name)                                                                              \
    ALIAS(name, 12_0)                                                                              \
    ALIAS(name, 12_1)                                                                              \
    ALIAS(name, 12_2)                                                                              \
    ALIAS(name, 12_3)                                                                              \
    ALIAS(name, 12_4)                                                                              \
    ALIAS(name, 12_5)                                                                              \
    ALIAS(name, 12_6)                                                                              \
    ALIAS(name, 12_7)                                                                              \
    ALIAS(name, 12_8)                                                                              \
    ALIAS(name, 12_9)
#else
#define ALIASES(name)                                                                              \
    ALIAS(name, 13_0)                                                                              \
    ALIAS(name, 13_1)                                                                              \
    ALIAS(name, 13_2)                                                                              \
    ALIAS(name, 13_3)                                                                              \
    ALIAS(name, 13_4)                                                                              \
    ALIAS(name, 13_5)
#endif

#define FUNCTION_UNVERSIONED(name, function, parameters, arguments)                                \
    nvJitLinkResult nvJitLink##name parameters                                                     \
    {                                                                                              \
        return jit_release_result(function arguments);                                             \
    }
#define FUNCTION(name, function, parameters, arguments)                                            \
    FUNCTION_UNVERSIONED(name, function, parameters, arguments)                                    \
    ALIASES(name)
#if NVJITLINK_MAJOR == 12
#define FUNCTION_SINCE_13(name, function, parameters, arguments)
#else
#define FUNCTION_SINCE_13 FUNCTION
#endif
#include "nvjitlink/functions.def"
#undef FUNCTION
#undef FUNCTION_UNVERSIONED
#undef FUNCTION_SINCE_13

/* NVIDIA's libraries of 12.4 and later export this function. Called without arguments it returns 0
 * (observed with 12.9.86 and 13.0.88). No known client calls it. */
extern int __nvJitLinkAPI(void) __attribute__((visibility("default")));
int __nvJitLinkAPI(void)
{
    return 0;
}
