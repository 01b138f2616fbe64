/* What the tool note records; see record.h. Which options, in which order and form was found by
 * giving nvlink 13.0.88 all of them. */
#include "cli/record.h"

#include <string.h>

static const struct recorded {
    enum option_id id;
    const char *name;
} RECORDED[] = {
    {OPTION_DEBUG, "g"},
    {OPTION_NO_STACK_WARNING, "suppress-stack-size-warning"},
    {OPTION_NO_ARCH_WARNING, "suppress-arch-warning"},
    {OPTION_ARCHITECTURE, "arch"},
    {OPTION_MACHINE, "m"},
    {OPTION_LIBRARY, "l"},
    {OPTION_LIBRARY_PATH, "L"},
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
    {OPTION_EXTRA_WARNINGS, "extrawarn"},
    {OPTION_NO_DEBUG_INFO, "suppress-debug-info"},
    {OPTION_NVVM_PATH, "nvvmpath"},
    {OPTION_SPLIT_COMPILE, "split-compile"},
    {OPTION_SPLIT_COMPILE_EXTENDED, "split-compile-extended"},
    {OPTION_PTXAS_OPTIONS, "Xptxas"},
    {OPTION_NVVM_OPTIONS, "Xnvvm"},
    {OPTION_MAX_REGISTERS, "maxrregcount"},
    {OPTION_DUMP_CALLGRAPH, "dump-callgraph"},
    {OPTION_DUMP_CALLGRAPH_MANGLED, "dump-callgraph-no-demangle"},
    {OPTION_USE_HOST_INFO, "use-host-info"},
    {OPTION_IGNORE_HOST_INFO, "ignore-host-info"},
    {OPTION_RELOCATABLE, "r"},
    {OPTION_STACK_PROTECTOR, "device-stack-protector"},
};

bool record_names_files(const struct command_line *line)
{
    return line->options[OPTION_DEBUG].given || line->options[OPTION_VERBOSE_TOOL_NOTE].number;
}

static const char *join(struct arena *arena, const char *const *items, size_t count)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(items[i]) + 1;
    char *text = arena_alloc(arena, size), *end = text;
    *text = 0;
    for (size_t i = 0; i < count; i++)
        end = stpcpy(stpcpy(end, i ? "," : ""), items[i]);
    return text;
}

const char *record_command_line(const struct command_line *line)
{
    struct arena *arena = line->arena;
    const char *text = "";
    if (record_names_files(line))
        text = arena_format(arena, "%s -o %s ", join(arena, line->inputs, line->inputs_count),
                            command_line_text(line, OPTION_OUTPUT));
    for (size_t i = 0; i < sizeof RECORDED / sizeof *RECORDED; i++) {
        const struct option_value *option = &line->options[RECORDED[i].id];
        if (!option->given)
            continue;
        const char *value = option->items_count ? join(arena, option->items, option->items_count)
                            : option->text      ? option->text
                                                : "";
        text = arena_format(arena, "%s-%s %s ", text, RECORDED[i].name, value);
    }
    return text;
}
