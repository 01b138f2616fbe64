/* Checks the options of a parsed command line; see line_problems.h. */
#include "cli/options/line_problems.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/trace.h"
#include "warpld.h"

static bool is_virtual(const char *target)
{
    return !strncmp(target, "compute_", strlen("compute_"));
}

bool line_has_virtual_target(const struct command_line *line)
{
    return is_virtual(command_line_text(line, OPTION_ARCHITECTURE));
}

static bool is_lto(const char *target)
{
    return !strncmp(target, "lto_", strlen("lto_"));
}

static const char *problem_of_target(const struct command_line *line, const char *name)
{
    if (strchr(name, ','))
        return "Several targets need --device-link";
    if (is_lto(name))
        return arena_format(line->arena,
                            "Link target of '%s' is virtual target that is not JIT-able; use "
                            "'sm_' target instead",
                            name);
    return NULL;
}

static const char *problem_of_version(const char *version)
{
    int major, minor;
    char rest;
    if (!version)
        return NULL;
    if (sscanf(version, "%d.%d %c", &major, &minor, &rest) != 2)
        return "--cuda-api-version value cannot be parsed";
    if (major == WARPLD_TOOLKIT_VERSION / 10)
        return NULL;
    return "--cuda-api-version major number must be == toolkit version";
}

static const char *problem_of_trace(const struct command_line *line)
{
    const struct option_value *categories = &line->options[OPTION_TRACE];
    for (size_t i = 0; i < categories->items_count; i++)
        if (!trace_categories_of(categories->items[i])) {
            const char *known = "";
            for (int c = 0; c < TRACE_CATEGORY_COUNT; c++)
                known = arena_format(line->arena, "%s%s, ", known,
                                     trace_category_word((enum trace_category)c));
            return arena_format(line->arena, "Unknown trace category '%s'; known categories: %sall",
                                categories->items[i], known);
        }
    return NULL;
}

static const char *problem_of_threads(const struct command_line *line)
{
    bool is_bad = line->options[OPTION_THREADS].number < 0;
    return is_bad ? "Invalid argument for option '-threads'" : NULL;
}

const char *line_problem_of_device_link(const struct command_line *line)
{
    static const enum option_id NEEDING[] = {OPTION_GENCODE, OPTION_CODE, OPTION_FATBIN,
                                             OPTION_CUBIN, OPTION_COMPRESS_MODE};
    for (size_t i = 0; i < sizeof NEEDING / sizeof *NEEDING; i++)
        if (command_line_given(line, NEEDING[i]))
            return arena_format(line->arena, "Option '--%s' needs --device-link",
                                option_long_name(NEEDING[i]));
    return NULL;
}

const char *line_problem(const struct command_line *line)
{
    const char *target = command_line_text(line, OPTION_ARCHITECTURE);
    const char *alone = line_problem_of_device_link(line);
    if (alone)
        return alone;
    if (!target)
        return "Unknown arch name '(null)'";
    if (!command_line_given(line, OPTION_OUTPUT) && !is_virtual(target) && !is_lto(target))
        return "Must specify output file with -o option";
    if (!line->inputs_count)
        return "No input files specified; use option --help for more information";
    const char *problem = command_line_conflict(line);
    if (!problem)
        problem = problem_of_target(line, target);
    if (!problem)
        problem = problem_of_threads(line);
    return problem ? problem : problem_of_trace(line);
}

bool line_wants_lto(const struct command_line *line)
{
    return command_line_given(line, OPTION_LTO) || command_line_given(line, OPTION_DLTO);
}

static const char *problem_of_level(const struct command_line *line)
{
    static const char *const LEVELS[] = {"0", "min", "mid", "max"};
    const char *level = command_line_text(line, OPTION_FAST_COMPILE);
    bool is_known = !level;
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS && level; i++)
        is_known |= !strcmp(level, LEVELS[i]);
    return is_known ? NULL : "Invalid argument for option '--Ofast-compile'";
}

long line_extended_threads(const struct command_line *line)
{
    bool is_used = command_line_given(line, OPTION_SPLIT_COMPILE_EXTENDED) &&
                   !command_line_given(line, OPTION_EMIT_PTX);
    return is_used ? line->options[OPTION_SPLIT_COMPILE_EXTENDED].number : 1;
}

/* nvlink does not search for libnvvm, so it requires -nvvmpath. This check only asks whether the
 * option is given. nvlink 13.0.88 refuses an empty value or an empty folder later, when it loads
 * the library. */
const char *line_problem_of_optimisation(const struct command_line *line, bool is_nvlink)
{
    const char *problem = command_line_optimisation_conflict(line);
    bool lacks_path =
        is_nvlink && line_wants_lto(line) && !command_line_given(line, OPTION_NVVM_PATH);
    return !problem && lacks_path ? "-nvvmpath should be specified with -lto" : problem;
}

const char *line_problem_of_values(const struct command_line *line)
{
    const char *problem = problem_of_level(line);
    return problem ? problem : problem_of_version(command_line_text(line, OPTION_API_VERSION));
}
