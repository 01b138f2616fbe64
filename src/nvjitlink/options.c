/* Reads the options of nvJitLinkCreate; see options.h.
 *
 * The checks and their order are those of NVIDIA's libraries: each argument is checked when it is
 * read, and the combinations of options are checked at the end. */
#include "nvjitlink/options.h"

#include <stdlib.h>
#include <string.h>

#include "nvjitlink/release.h"

enum option_form { EXACT, PREFIX, VALUE, ANY_VALUE };

struct option_row {
    const char *spelling;
    enum option_form form;
    unsigned first_major;
};

static const struct option_row ROWS[] = {
#define OPTION(name, spelling, form, first_major) {spelling, form, first_major},
#include "nvjitlink/options.def"
#undef OPTION
};

static bool fits(const struct option_row *row, const char *argument)
{
    size_t size = strlen(row->spelling);
    if (jit_release.major < row->first_major)
        return false;
    return row->form == EXACT ? !strcmp(argument, row->spelling)
                              : !strncmp(argument, row->spelling, size);
}

static nvJitLinkResult refuse(const char *argument, struct jit_log *errors)
{
    jit_log_print(errors, "unrecognized option: %s\n", argument);
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

/* Appends a value. copy_arguments has made the lists large enough for all arguments. */
static void append(struct value_list *list, const char *value)
{
    list->values[list->count++] = value;
}

static nvJitLinkResult check_optimization(const char *argument, const char *value,
                                          struct jit_log *errors)
{
    bool is_digit = *value >= '0' && *value <= '9' && !value[1];
    if (!is_digit)
        return refuse(argument, errors);
    if (*value == '0' || *value == '3')
        return NVJITLINK_SUCCESS;
    jit_log_print(errors, "unsupported value of -O: %s. Only 0 and 3 are supported.\n", value);
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

static nvJitLinkResult check_fast_compile(const char *value, struct jit_log *errors)
{
    static const char *const LEVELS[] = {"0", "min", "mid", "max"};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
        if (!strcmp(value, LEVELS[i]))
            return NVJITLINK_SUCCESS;
    jit_log_print(errors,
                  "unsupported value of --Ofast-compile (-Ofc): %s. Only 0, min, mid, and max are "
                  "supported.\n",
                  value);
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

static nvJitLinkResult check_threads(const struct option_row *row, const char *value,
                                     struct jit_log *errors)
{
    if (strtol(value, NULL, 10) >= 0)
        return NVJITLINK_SUCCESS;
    jit_log_print(errors, "argument for %.*s must be non-negative.\n",
                  (int)strlen(row->spelling) - 1, row->spelling);
    return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
}

/* Checks the value of an option, and stores those values that the link needs. */
static nvJitLinkResult take(struct jit_options *options, enum jit_option option,
                            const char *argument, const char *value, struct jit_log *errors)
{
    switch (option) {
    case JIT_OPTION_ARCH:
        options->target_argument = argument;
        return jit_target_read(&options->target, argument, value, errors);
    case JIT_OPTION_OPTIMIZATION:
        append(&options->ptxas, argument);
        return check_optimization(argument, value, errors);
    case JIT_OPTION_FAST_COMPILE:
        append(&options->ptxas, argument);
        return check_fast_compile(value, errors);
    case JIT_OPTION_SPLIT_COMPILE:
    case JIT_OPTION_SPLIT_COMPILE_EXTENDED:
        return check_threads(&ROWS[option], value, errors);
    case JIT_OPTION_MAX_REGISTERS:
        append(&options->ptxas, argument);
        break;
    case JIT_OPTION_LINEINFO:
        append(&options->ptxas, "-lineinfo");
        break;
    case JIT_OPTION_VERBOSE:
        append(&options->ptxas, "-v");
        break;
    case JIT_OPTION_XPTXAS:
        append(&options->ptxas, value);
        break;
    case JIT_OPTION_KERNELS_USED:
        append(&options->kernels_used, value);
        break;
    case JIT_OPTION_VARIABLES_USED:
        append(&options->variables_used, value);
        break;
    default: /* flags, and options of NVIDIA's compiler for LTO-IR */
        break;
    }
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult read_argument(struct jit_options *options, const char *argument,
                                     struct jit_log *errors)
{
    for (size_t i = 0; i < JIT_OPTION_COUNT; i++) {
        const struct option_row *row = &ROWS[i];
        const char *value = argument + strlen(row->spelling);
        if (!fits(row, argument))
            continue;
        if (row->form == VALUE && !*value) {
            jit_log_print(errors,
                          "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (%s)\n",
                          argument);
            return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
        }
        options->given[i] = true;
        return take(options, (enum jit_option)i, argument, value, errors);
    }
    return refuse(argument, errors);
}

static nvJitLinkResult conflict(const char *text, struct jit_log *errors)
{
    jit_log_print(errors, "ERROR: %s\n", text);
    return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
}

static bool is_given(const struct jit_options *options, const char *argument)
{
    for (uint32_t i = 0; i < options->count; i++)
        if (!strcmp(options->arguments[i], argument))
            return true;
    return false;
}

/* Checks that the options can be combined. libnvJitLink 13.5 accepts lto_90 as the target of a link
 * that makes a cubin or LTO-IR. 12.9 treats lto_90 as compute_90. */
static nvJitLinkResult check_combinations(const struct jit_options *options, struct jit_log *errors)
{
    bool is_13 = jit_release.checks_architecture;
    bool has_ptx = options->given[JIT_OPTION_PTX];
    enum target_kind kind = options->target.kind;
    if (!options->given[JIT_OPTION_ARCH])
        return NVJITLINK_ERROR_MISSING_ARCH;
    if (has_ptx && !jit_options_want_lto(options))
        return conflict("-ptx requires -lto", errors);
    if (!has_ptx && (kind == TARGET_VIRTUAL || (kind == TARGET_LTO && !is_13)))
        return conflict("virtual arch requires -ptx", errors);
    if (has_ptx && kind == TARGET_LTO && is_13) {
        jit_log_print(errors, "ERROR: %s conflicts with -ptx\n", options->target_argument);
        return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
    }
    if (is_13 && options->given[JIT_OPTION_DEBUG] && is_given(options, "-O3"))
        return conflict("optimized debugging not supported; use -O0 with -g", errors);
    return NVJITLINK_SUCCESS;
}

/* Copies the arguments and makes space for the lists, all in one block. Returns false if memory has
 * run out. */
static bool copy_arguments(struct jit_options *options, uint32_t count,
                           const char *const *arguments)
{
    struct value_list *lists[] = {&options->kernels_used, &options->variables_used,
                                  &options->ptxas};
    enum { LISTS = sizeof lists / sizeof *lists };
    size_t text_size = 0, pointers = (size_t)count * (1 + LISTS);
    for (uint32_t i = 0; i < count; i++)
        text_size += strlen(arguments[i]) + 1;
    const char **block = malloc(pointers * sizeof *block + text_size + 1);
    if (!block)
        return false;
    char *text = (char *)(block + pointers);
    options->arguments = block;
    options->count = count;
    for (size_t i = 0; i < LISTS; i++)
        lists[i]->values = block + (1 + i) * count;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(arguments[i]) + 1;
        options->arguments[i] = memcpy(text, arguments[i], size);
        text += size;
    }
    return true;
}

nvJitLinkResult jit_options_read(struct jit_options *options, uint32_t count,
                                 const char *const *arguments, struct jit_log *errors)
{
    for (uint32_t i = 0; i < count; i++)
        if (!arguments[i])
            return NVJITLINK_ERROR_NULL_INPUT;
    if (!copy_arguments(options, count, arguments))
        return NVJITLINK_ERROR_INTERNAL;
    for (uint32_t i = 0; i < count; i++) {
        nvJitLinkResult result = read_argument(options, options->arguments[i], errors);
        if (result != NVJITLINK_SUCCESS)
            return result;
    }
    return check_combinations(options, errors);
}

void jit_options_free(struct jit_options *options)
{
    free(options->arguments);
}
