/* What programs of csmith need. This header replaces csmith's own, which needs a C library: a GPU
 * has none. */
#ifndef WARPLD_TESTS_COMPARE_CSMITH_RUNTIME_H
#define WARPLD_TESTS_COMPARE_CSMITH_RUNTIME_H

#include <float.h>
#include <limits.h>
#include <stdint.h>

#define STATIC           static inline
#define FUNC_NAME(name)  safe_##name
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define fabsf __builtin_fabsf
#define fabs  __builtin_fabs
#include "safe_math.h"

#define printf(...)                                    ((void)0)
#define crc32_gentab()                                 ((void)0)
#define platform_main_begin()                          ((void)0)
#define platform_main_end(checksum, wanted)            ((void)0)
#define crc32_context                                  checksum
#define transparent_crc(value, name, flag)             (checksum = checksum * 31 + (value))
#define transparent_crc_bytes(bytes, size, name, flag) (checksum += *(char *)(bytes))
extern uint64_t checksum;

#endif
