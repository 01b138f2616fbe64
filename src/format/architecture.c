/* Target architectures; see architecture.h. */
#include "format/architecture.h"

#include <stdio.h>
#include <string.h>

static const struct architecture ARCHITECTURES[] = {
#define ARCHITECTURE(number, suffix, family, code, parameter_base, shared_limit, extended_limit,   \
                     shared_reserved, relocations)                                                 \
    {number,         SUFFIX_##suffix, CODE_##code,                                                 \
     family,         parameter_base,  shared_limit,                                                \
     extended_limit, shared_reserved, RELOCATIONS_##relocations},
#include "format/architecture.def"
#undef ARCHITECTURE
};

enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

enum native_code { NATIVE_CODE_AS_IS, NATIVE_CODE_TRANSLATED, NATIVE_CODE_ABI_12 };

struct run {
    uint16_t object;
    uint16_t target;
    uint8_t code; /* enum native_code */
};

static const struct run RUNS_ON[] = {
#define RUNS(object, target, code) {object, target, NATIVE_CODE_##code},
#include "format/architecture_runs.def"
#undef RUNS
};

static const char *const SUFFIXES[] = {"", "a", "f"};

/* Formats a name such as "sm_90a". Each link formats five names. printf is not used, because it
 * took 1 % of the instructions of a small link. */
static void write_name(const char *prefix, const struct architecture *architecture, char *name)
{
    while (*prefix)
        *name++ = *prefix++;
    unsigned unit = 1;
    while (architecture->number / unit >= 10)
        unit *= 10;
    for (; unit; unit /= 10)
        *name++ = (char)('0' + architecture->number / unit % 10);
    for (const char *suffix = SUFFIXES[architecture->suffix]; *suffix;)
        *name++ = *suffix++;
    *name = '\0';
}

void architecture_name(const struct architecture *architecture, char name[16])
{
    write_name("sm_", architecture, name);
}

void architecture_virtual_name(const struct architecture *architecture, char name[16])
{
    write_name("compute_", architecture, name);
}

const struct architecture *architecture_find(const char *name)
{
    static const char PREFIX[] = "sm_";
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || name[strlen(PREFIX)] == '0')
        return NULL;
    unsigned number = 0;
    const char *suffix = name + strlen(PREFIX);
    for (; *suffix >= '0' && *suffix <= '9' && number < 1000; suffix++)
        number = number * 10 + (unsigned)(*suffix - '0');
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
        if (ARCHITECTURES[i].number == number && !strcmp(SUFFIXES[ARCHITECTURES[i].suffix], suffix))
            return &ARCHITECTURES[i];
    return NULL;
}

const struct architecture *architecture_find_virtual(const char *name)
{
    static const char PREFIX[] = "compute_";
    char real[16];
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return NULL;
    snprintf(real, sizeof real, "sm_%s", name + strlen(PREFIX));
    const struct architecture *found = architecture_find(real);
    return found && architecture_is_of_cuda_12(found) ? NULL : found;
}

const struct architecture *architectures(size_t *count)
{
    *count = ARCHITECTURE_COUNT;
    return ARCHITECTURES;
}

unsigned architecture_family(unsigned number)
{
    for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
        if (ARCHITECTURES[i].number == number)
            return ARCHITECTURES[i].family;
    return 0;
}

static const struct run *find_run(const struct architecture *target, unsigned object)
{
    for (size_t i = 0; i < sizeof RUNS_ON / sizeof *RUNS_ON; i++)
        if (RUNS_ON[i].object == object && RUNS_ON[i].target == target->number)
            return &RUNS_ON[i];
    return NULL;
}

bool architecture_runs_code_of(const struct architecture *target, unsigned object)
{
    const struct run *run = find_run(target, object);
    return target->number == object || (run && run->code != NATIVE_CODE_ABI_12);
}

bool architecture_runs_code_in_abi_12(const struct architecture *target, unsigned object)
{
    return target->number == object || find_run(target, object);
}

bool architecture_translates_code_of(const struct architecture *target, unsigned object)
{
    const struct run *run = find_run(target, object);
    return run && run->code == NATIVE_CODE_TRANSLATED;
}
