/* Records the command line in the tool note; see record.h. To find which options nvlink 13.0.88
 * records, in which order and form, each option was passed alone, and all options were passed
 * together, with and without file names in the record. */
#include "cli/options/record.h"

#include <string.h>

#include "base/arena.h"

static const struct recorded {
    enum option_id id;
    const char *name;
} RECORDED[] = {
    {OPTION_NO_STACK_WARNING, "suppress-stack-size-warning"},
    {OPTION_NO_ARCH_WARNING, "suppress-arch-warning"},
    {OPTION_OUTPUT, "o"},
    {OPTION_DEBUG, "g"},
    {OPTION_ARCHITECTURE, "arch"},
    {OPTION_MACHINE, "m"},
    {OPTION_LIBRARY, "l"},
    {OPTION_LIBRARY_PATH, "L"},
    {OPTION_REGISTER_LINK_BINARIES, ""},
    {OPTION_VERBOSE, "v"},
    {OPTION_PRESERVE_RELOCATIONS, "preserve-relocs"},
    {OPTION_NO_WARNINGS, "w"},
    {OPTION_WARNINGS_ARE_ERRORS, "Werror"},
    {OPTION_NO_INFOS, "disable-infos"},
    {OPTION_KEEP_SYSTEM_LIBRARIES, "keep-system-libraries"},
    {OPTION_KERNELS_USED, "kernels-used"},
    {OPTION_VARIABLES_USED, "variables-used"},
    {OPTION_CPU_ARCH, "cpu-arch"},
    {OPTION_REPORT_ARCH, "report-arch"},
    {OPTION_EMIT_PTX, "emit-ptx"},
    {OPTION_TIME, "time"},
    {OPTION_EXTRA_WARNINGS, "extrawarn"},
    {OPTION_LTO, "lto"},
    {OPTION_DLTO, "dlto"},
    {OPTION_NVVM_PATH, "nvvmpath"},
    {OPTION_SPLIT_COMPILE, "split-compile"},
    {OPTION_SPLIT_COMPILE_EXTENDED, "split-compile-extended"},
    {OPTION_FAST_COMPILE, "Ofc"},
    {OPTION_NO_DEBUG_INFO, "suppress-debug-info"},
    {OPTION_PTXAS_OPTIONS, "Xptxas"},
    {OPTION_NVVM_OPTIONS, "Xnvvm"},
    {OPTION_MAX_REGISTERS, "maxrregcount"},
    {OPTION_DUMP_CALLGRAPH, "dump-callgraph"},
    {OPTION_DUMP_CALLGRAPH_MANGLED, "dump-callgraph-no-demangle"},
    {OPTION_USE_HOST_INFO, "use-host-info"},
    {OPTION_IGNORE_HOST_INFO, "ignore-host-info"},
    {OPTION_RELOCATABLE, "r"},
    {OPTION_STACK_PROTECTOR, "device-stack-protector"},
    {OPTION_OPTIONS_FILE, "optf"},
};

enum { RECORDED_COUNT = sizeof RECORDED / sizeof *RECORDED };

/* Whether the option's value is a file. Such an option is recorded only if names_files returns
 * true. The record then contains the file's name without its folder. */
static bool names_file(enum option_id id)
{
    return id == OPTION_OUTPUT || id == OPTION_REGISTER_LINK_BINARIES || id == OPTION_TIME ||
           id == OPTION_OPTIONS_FILE;
}

/* Whether the record contains file names. The value of --verbose-tkinfo decides. Without this
 * option, -g decides. */
static bool names_files(const struct command_line *line)
{
    const struct option_value *asked = &line->options[OPTION_VERBOSE_TOOL_NOTE];
    return asked->given ? asked->number : line->options[OPTION_DEBUG].given;
}

static const char *without_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *recorded_value(const struct command_line *line, enum option_id id)
{
    const struct option_value *option = &line->options[id];
    if (option->items_count)
        return arena_join_all(line->arena, option->items, option->items_count, ",");
    if (!option->text)
        return "";
    return names_file(id) ? without_folder(option->text) : option->text;
}

static const char *input_names(const struct command_line *line)
{
    const char **names = ARENA_ARRAY(line->arena, const char *, line->inputs_count);
    for (size_t i = 0; i < line->inputs_count; i++)
        names[i] = without_folder(line->inputs[i]);
    return arena_join_all(line->arena, names, line->inputs_count, ",");
}

const char *record_output(const struct command_line *line)
{
    const char *path = command_line_text(line, OPTION_OUTPUT);
    return path && names_files(line) ? without_folder(path) : NULL;
}

const char *record_command_line(const struct command_line *line)
{
    struct arena *arena = line->arena;
    bool has_names = names_files(line);
    const char *parts[1 + RECORDED_COUNT] = {has_names ? arena_join(arena, input_names(line), " ")
                                                       : ""};
    for (size_t i = 0; i < RECORDED_COUNT; i++) {
        enum option_id id = RECORDED[i].id;
        bool is_recorded = command_line_given(line, id) && (has_names || !names_file(id));
        parts[1 + i] =
            is_recorded ? arena_format(arena, "-%s %s ", RECORDED[i].name, recorded_value(line, id))
                        : "";
    }
    return arena_join_all(arena, parts, 1 + RECORDED_COUNT, "");
}
