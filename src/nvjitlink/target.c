/* Reads the target of -arch=; see target.h.
 *
 * Text after the number and its suffix is ignored, as in libnvJitLink 13.5.37. */
#include "nvjitlink/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/release.h"
#include "warpld.h"

/* Reads the number after one of the prefixes. Returns 0 if the value has none of them. */
static long read_number(struct jit_target *target, const char *value, const char **suffix)
{
    static const struct prefix {
        const char *text;
        enum target_kind kind;
    } PREFIXES[] = {{"sm_", TARGET_REAL}, {"compute_", TARGET_VIRTUAL}, {"lto_", TARGET_LTO}};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t size = strlen(PREFIXES[i].text);
        if (strncmp(value, PREFIXES[i].text, size) != 0)
            continue;
        char *end;
        target->kind = PREFIXES[i].kind;
        long number = strtol(value + size, &end, 10);
        *suffix = end;
        return number;
    }
    return 0;
}

static bool is_retired(long number)
{
    static const short NUMBERS[] = {
#define RETIRED_TARGET(number) number,
#include "nvjitlink/targets.def"
#undef RETIRED_TARGET
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        if (NUMBERS[i] == number)
            return true;
    return false;
}

/* Returns true if this library links for the target. Only libnvJitLink.so.12 links for targets that
 * CUDA 13 lacks. */
static bool is_linked_for(const char *name)
{
    enum { ABI_OF_CUDA_13 = 8 };
    unsigned abi = warpld_output_abi(name);
    return jit_release.checks_architecture ? abi == ABI_OF_CUDA_13 : abi != 0;
}

/* Writes "sm_", the number and the suffix, which has at most one letter. Does not use printf, which
 * would take 1 % of the instructions of a small link. */
static void write_name(char *name, unsigned number, const char *suffix)
{
    static const char PREFIX[] = "sm_";
    char digits[4];
    size_t count = 0;
    for (; number; number /= 10)
        digits[count++] = (char)('0' + number % 10);
    memcpy(name, PREFIX, strlen(PREFIX));
    for (name += strlen(PREFIX); count;)
        *name++ = digits[--count];
    *name++ = *suffix;
    *name = '\0';
}

/* Sets target->architecture to libwarpld's name of the target, and target->is_known. NVIDIA's
 * libraries accept sm_75a to sm_89a, whose suffix libwarpld does not know. For these, the name has
 * no suffix. */
static void find_name(struct jit_target *target, unsigned number, const char *suffix)
{
    char *name = target->architecture;
    write_name(name, number, suffix);
    target->is_known = is_linked_for(name);
    if (target->is_known || *suffix == 'f')
        return;
    write_name(name, number, "");
    target->is_known = is_linked_for(name);
}

static nvJitLinkResult refuse(long number, const char *suffix, const char *argument,
                              struct jit_log *errors)
{
    char name[32] = "";
    bool is_odd = number < 0 || number > 999;
    char plain[16];
    snprintf(name, sizeof name, "compute_%ld%s", number, suffix);
    snprintf(plain, sizeof plain, "sm_%ld", number);
    if (is_odd || is_retired(number) || is_linked_for(plain)) {
        jit_log_print(errors,
                      "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (%s)\n",
                      is_odd ? argument : name);
        return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
    }
    jit_log_print(
        errors, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (%s)\n", name);
    return NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
}

/* Checks a target that libwarpld does not know. libnvJitLink.so.12 accepts every number below 130
 * and fails from 130 on. */
static nvJitLinkResult check_unknown(long number, const char *suffix, const char *argument,
                                     struct jit_log *errors)
{
    enum { END_OF_12 = 130 };
    if (jit_release.checks_architecture)
        return refuse(number, suffix, argument, errors);
    if (number > 0 && number < END_OF_12)
        return NVJITLINK_SUCCESS;
    jit_log_print(errors, "ERROR 1: Start\n");
    return NVJITLINK_ERROR_INTERNAL;
}

nvJitLinkResult jit_target_read(struct jit_target *target, const char *argument, const char *value,
                                struct jit_log *errors)
{
    const char *end = "";
    long number = read_number(target, value, &end);
    const char *suffix = *end == 'a' ? "a" : *end == 'f' ? "f" : "";
    if (!number) {
        jit_log_print(errors,
                      "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (%s)\n",
                      argument);
        return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    if (number > 0 && number <= 999)
        find_name(target, (unsigned)number, suffix);
    return target->is_known ? NVJITLINK_SUCCESS : check_unknown(number, suffix, argument, errors);
}
