/* Names of system functions; see system_functions.h. */
#include "base/system_functions.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *const FUNCTIONS[] = {
#define SYSTEM_FUNCTION(name) name,
#define SYSTEM_PREFIX(prefix)
#include "base/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

static const char *const PREFIXES[] = {
#define SYSTEM_FUNCTION(name)
#define SYSTEM_PREFIX(prefix) prefix,
#include "base/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
};

/* Returns a hash of the first three characters of a name, as one of 64 bits. Returns 0 for a name
 * of fewer than two characters, because the tables have no such name. */
static inline uint64_t letters_bit(const char *name)
{
    if (!name[0] || !name[1])
        return 0;
    return UINT64_C(1) << ((unsigned)(4 * name[0] + 2 * name[1] + name[2]) % 64);
}

/* A fast filter, because the name of every function is looked up. Returns true for each name that
 * begins like a name in the tables, and false for most other names. */
static bool may_be_of_system(const char *name)
{
    const uint64_t all = 0
#define SYSTEM_FUNCTION(name) | letters_bit(name)
#define SYSTEM_PREFIX(prefix) | letters_bit(prefix)
#include "base/system_functions.def"
#undef SYSTEM_FUNCTION
#undef SYSTEM_PREFIX
        ;
    return all & letters_bit(name);
}

bool system_function(const char *name)
{
    if (!may_be_of_system(name))
        return false;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (*name == *PREFIXES[i] && !strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return true;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (*name == *FUNCTIONS[i] && !strcmp(name, FUNCTIONS[i]))
            return true;
    return false;
}
