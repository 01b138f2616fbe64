/* Queries about a link in the public interface; documented in warpld.h. */
#include <setjmp.h>

#include "base/bytes.h"
#include "format/elf_view.h"
#include "link/caller_structure.h"
#include "link/handle.h"
#include "link/image/examine.h"
#include "link/input/input_state.h"
#include "link/input/read_inputs.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "warpld.h"

enum warpld_status warpld_examine(struct warpld_link *link, const void *data, size_t data_size,
                                  struct warpld_examined *examined)
{
    enum { SMALLEST = END_OF(struct warpld_examined, is_linked) };
    if (handle_status_before_run(link) != WARPLD_OK || (!data && data_size) ||
        !is_caller_structure(examined, SMALLEST, sizeof *examined))
        return WARPLD_ERROR_ARGUMENT;
    const struct bytes contents = {data, data_size};
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    struct warpld_examined known;
    examine(link, contents, &known);
    return fill_caller_structure(examined, &known, sizeof known);
}

enum warpld_status warpld_get_read_file(struct warpld_link *link, size_t index,
                                        struct warpld_read_file *file)
{
    enum { SMALLEST = END_OF(struct warpld_read_file, missing) };
    if (!link || !is_caller_structure(file, SMALLEST, sizeof *file))
        return WARPLD_ERROR_ARGUMENT;
    if (handle_of(link)->failure == WARPLD_ERROR_MEMORY)
        return WARPLD_ERROR_MEMORY;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    if (!handle_of(link)->has_run) {
        link->input->keeps_bytes = true;
        read_inputs(link);
    }
    struct warpld_read_file known;
    return describe_file(link, index, &known) ? fill_caller_structure(file, &known, sizeof known)
                                              : WARPLD_END;
}

enum warpld_status warpld_get_linked_object(const struct warpld_link *link, size_t index,
                                            struct warpld_linked_object *object)
{
    enum { SMALLEST = END_OF(struct warpld_linked_object, module_id) };
    if (!link || !is_caller_structure(object, SMALLEST, sizeof *object))
        return WARPLD_ERROR_ARGUMENT;
    if (index >= link->input->linked_count)
        return WARPLD_END;
    return fill_caller_structure(object, &link->input->linked[index], sizeof *object);
}

static void count_inputs(const struct warpld_link *link, struct warpld_statistics *known)
{
    known->input_bytes = handle_inputs_size(link);
    known->objects = link->objects_count;
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct elf_view *elf = &link->objects[i]->elf;
        const struct shared_image *shared = link->objects[i]->shared;
        known->prepared_images += shared && shared->is_from_snapshot;
        known->input_sections += elf->section_count;
        for (uint32_t s = 1; s < elf->section_count; s++)
            known->relocations += elf->sections[s].entry_count;
    }
}

static size_t files_read(const struct warpld_link *link)
{
    size_t count = link->input->files_count + link->input->libraries_count;
    for (size_t i = 0; i < link->input->opened_count; i++)
        count += !link->input->opened[i]->read_before;
    return count;
}

/* Counts what the link has read and created; see warpld.h. */
enum warpld_status warpld_get_statistics(const struct warpld_link *link,
                                         struct warpld_statistics *statistics)
{
    enum { SMALLEST = END_OF(struct warpld_statistics, memory) };
    if (!link || !is_caller_structure(statistics, SMALLEST, sizeof *statistics))
        return WARPLD_ERROR_ARGUMENT;
    struct warpld_statistics known = {
        .files = files_read(link),
        .names = link->names.all.count + link->names.family_names,
        .functions = link->functions_count,
        .output_sections = link->output.ordered_count,
        .output_symbols = link->output.symbol_count,
        .output_bytes = link->output.size,
        .memory = link->arena.reserved,
    };
    for (size_t i = 0; i < link->functions_count; i++)
        known.kernels += link->functions[i]->kernel;
    for (size_t i = 0; i < link->input->worker_arenas_count; i++)
        known.memory += link->input->worker_arenas[i].reserved;
    count_inputs(link, &known);
    return fill_caller_structure(statistics, &known, sizeof known);
}
