/* Translates the command line; see library_options.h. */
#include "cli/options/library_options.h"

#include "base/trace.h"
#include "cli/options/keywords.h"
#include "cli/options/record.h"
#include "cli/options/threads.h"

/* Combines the lists of all --trace options. */
static unsigned trace_of(const struct command_line *line)
{
    const struct option_value *categories = &line->options[OPTION_TRACE];
    unsigned trace = 0;
    for (size_t i = 0; i < categories->items_count; i++)
        trace |= trace_categories_of(categories->items[i]);
    return trace;
}

static void set_output_format(const struct command_line *line, struct warpld_options *options)
{
    options->reserve_null_pointer = command_line_given(line, OPTION_RESERVE_NULL) &&
                                    !command_line_given(line, OPTION_NO_RESERVE_NULL);
    options->no_shared_reservation = line->options[OPTION_NO_SHARED_RESERVATION].number;
    options->extended_shared = line->options[OPTION_EXTENDED_SHARED].number;
    options->force_addends = command_line_given(line, OPTION_FORCE_RELA);
    options->no_debug_info = command_line_given(line, OPTION_NO_DEBUG_INFO);
    options->preserve_relocations = command_line_given(line, OPTION_PRESERVE_RELOCATIONS);
    options->relocatable = command_line_given(line, OPTION_RELOCATABLE);
    options->output_ptx = command_line_given(line, OPTION_EMIT_PTX);
    options->optimise_partially = command_line_given(line, OPTION_PARTIAL_LTO);
    options->own_register_limit = line->options[OPTION_MAX_REGISTERS].number > 0;
    options->optimise_whole_program = command_line_given(line, OPTION_WHOLE_LTO);
    options->merge_constants = command_line_given(line, OPTION_MERGE_CONSTANTS);
    options->map_inputs = true; /* see cli/fatal_signals.h */
    options->durable_output = command_line_given(line, OPTION_FSYNC);
    options->remove_unused_constants = command_line_given(line, OPTION_REMOVE_UNUSED_CONSTANTS);
    if (command_line_given(line, OPTION_OUTPUT_ABI))
        options->output_abi = *command_line_text(line, OPTION_OUTPUT_ABI) == '7' ? 7 : 8;
}

static void set_used_symbols(const struct command_line *line, struct warpld_options *options)
{
    const struct option_value *kernels = &line->options[OPTION_KERNELS_USED];
    const struct option_value *variables = &line->options[OPTION_VARIABLES_USED];
    options->kernels_used = kernels->items;
    options->kernels_used_count = kernels->items_count;
    options->variables_used = variables->items;
    options->variables_used_count = variables->items_count;
    options->ignore_host_references = command_line_given(line, OPTION_IGNORE_HOST_INFO);
    options->keep_system_libraries = command_line_given(line, OPTION_KEEP_SYSTEM_LIBRARIES);
}

static void set_messages(const struct command_line *line, struct warpld_options *options)
{
    options->verbose = command_line_given(line, OPTION_VERBOSE);
    options->warnings_are_errors = command_line_given(line, OPTION_WARNINGS_ARE_ERRORS) &&
                                   !command_line_given(line, OPTION_NO_WARNINGS);
    options->suppress_stack_size_warning = command_line_given(line, OPTION_NO_STACK_WARNING);
    options->extra_warnings = command_line_given(line, OPTION_EXTRA_WARNINGS);
    options->suppress_arch_warning = command_line_given(line, OPTION_NO_ARCH_WARNING);
    options->trace = trace_of(line);
}

struct warpld_options library_options(const struct command_line *line)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = command_line_text(line, OPTION_ARCHITECTURE);
    options.debug = command_line_given(line, OPTION_DEBUG);
    options.skip_linked_before = command_line_given(line, OPTION_REGISTER_LINK_BINARIES);
    options.recorded_options = record_command_line(line);
    options.recorded_output = record_output(line);
    options.library_paths = line->folders;
    options.library_paths_count = line->folders_count;
    options.allow_undefined_globals = command_line_given(line, OPTION_ALLOW_UNDEFINED_GLOBALS);
    options.host_machine = keyword_machine(command_line_text(line, OPTION_CPU_ARCH));
    options.allow_empty = command_line_given(line, OPTION_ALLOW_EMPTY);
    options.allow_newer_toolkit = command_line_given(line, OPTION_ALLOW_NEWER_TOOLKIT);
    options.threads = threads_of(line);
    set_messages(line, &options);
    set_used_symbols(line, &options);
    set_output_format(line, &options);
    return options;
}
