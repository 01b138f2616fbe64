/* Links for one target; see target_link.h. */
#include "cli/device_link/target_link.h"

#include "cli/options/library_options.h"

void target_link_start(struct target_link *target, const struct device_link *all, const char *name,
                       unsigned threads)
{
    struct option_value *architecture = &target->line.options[OPTION_ARCHITECTURE];
    struct option_value *limit = &target->line.options[OPTION_THREADS];
    target->called_nvlink = all->called_nvlink;
    target->line = *all->line;
    target->line.arena = &target->arena;
    architecture->given = limit->given = true;
    architecture->text = name;
    limit->number = threads;
    target->messages = (struct target_messages){.arena = &target->arena};
    target->compiler = (struct command_compiler){
        .arena = &target->arena,
        .line = &target->line,
        .called_nvlink = all->called_nvlink,
        .remote = all->remote,
        .job = {.message = target_messages_take_ptx, .context = &target->messages},
    };
}

/* Returns the options of the target's link. With skip_linked_before, the link leaves out objects
 * that another input contains in linked form. nvlink does the same with --register-link-binaries,
 * which nvcc passes in a device link. */
static struct warpld_options options_of(struct target_link *target)
{
    struct warpld_options options = library_options(&target->line);
    options.skip_linked_before = true;
    options.as_nvlink = target->called_nvlink;
    options.allow_empty |= target->called_nvlink;
    options.diagnostic = target_messages_take;
    options.diagnostic_context = &target->messages;
    command_compiler_serve(&target->compiler, &options);
    if (command_line_given(&target->line, OPTION_STATISTICS)) {
        options.pass_begins = statistics_begin_pass;
        options.pass_context = &target->measures;
    }
    return options;
}

void target_link_add(struct target_link *target, struct warpld_library *inputs)
{
    const struct option_value *libraries = &target->line.options[OPTION_LIBRARY];
    struct warpld_options options = options_of(target);
    target->status = warpld_create(&options, &target->link);
    if (target->status != WARPLD_OK)
        return;
    warpld_add_shared(target->link, inputs);
    for (size_t i = 0; i < libraries->items_count; i++)
        warpld_add_library(target->link, libraries->items[i]);
}

void target_link_finish(struct target_link *target, enum warpld_status status)
{
    const void *data;
    size_t size;
    if (status == WARPLD_OK)
        status = warpld_output(target->link, &data, &size);
    if (status == WARPLD_OK)
        target->cubin = (struct bytes){data, size};
    target->status = status;
}

void target_link_end(struct target_link *target)
{
    warpld_destroy(target->link);
    command_compiler_end(&target->compiler);
    arena_destroy(&target->arena);
}
