/* The public interface over one link; documented in warpld.h. */
#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/name_table.h"
#include "base/page_feeder.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "base/trace.h"
#include "format/architecture.h"
#include "format/elf_view.h"
#include "link/caller_structure.h"
#include "link/input/choose_images.h"
#include "link/input/held_messages.h"
#include "link/input/input_state.h"
#include "link/input/libraries.h"
#include "link/input/read_inputs.h"
#include "link/layout/layout_state.h"
#include "link/link.h"
#include "link/merge/merge_state.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/option_conflicts.h"
#include "link/relocate/relocate_state.h"
#include "link/resolve/resolve_state.h"
#include "link/resources/resources_state.h"
#include "link/write/write_output.h"
#include "link/write/write_state.h"
#include "warpld.h"

/* Who receives diagnostics; the callback may be NULL. */
struct receiver {
    warpld_diagnostic_callback *callback;
    void *context;
};

/* What the public handle points to: the link, and where to go when memory runs out. */
struct handle {
    struct warpld_link link; /* first: the two addresses are the same */
    struct input_state input;
    struct resolve_state resolve;
    struct relocate_state relocate;
    struct merge_state merge;
    struct layout_state layout;
    struct resources_state resources;
    struct write_state write;
    struct page_feeder page_feeder;
    int replaced_file; /* see file_replace_made; -1 none */
    struct receiver receiver;
    jmp_buf out_of_memory;
    enum warpld_status failure; /* of a call that the link cannot recover from; it was reported */
    bool has_run;
};

static struct handle *handle_of(struct warpld_link *link)
{
    return (struct handle *)link;
}

const char *warpld_version(void)
{
    return WARPLD_VERSION;
}

bool warpld_knows_architecture(const char *name)
{
    return name && architecture_find(name);
}

const char *warpld_status_name(enum warpld_status status)
{
    static const char *const NAMES[] = {"ok",     "argument", "fatal", "link",
                                        "memory", "output",   "end"};
    size_t index = (size_t)status;
    return index < sizeof NAMES / sizeof *NAMES ? NAMES[index] : "unknown";
}

static void deliver_diagnostic(void *context, const struct diagnostic *diagnostic)
{
    const struct receiver *receiver = context;
    if (!receiver->callback)
        return;
    struct warpld_diagnostic public = {
        .size = sizeof public,
        .severity = (enum warpld_severity)diagnostic->severity,
        .code = diagnostic->code,
        .text = diagnostic->text,
        .input = diagnostic->input,
        .symbol = diagnostic->symbol,
    };
    receiver->callback(receiver->context, &public);
}

static_assert(WARPLD_TRACE_MERGE == 1 << TRACE_CATEGORY_MERGE &&
                  WARPLD_TRACE_LAYOUT == 1 << TRACE_CATEGORY_LAYOUT &&
                  WARPLD_TRACE_RELOCATE == 1 << TRACE_CATEGORY_RELOCATE &&
                  WARPLD_TRACE_UNIFIED == 1 << TRACE_CATEGORY_UNIFIED &&
                  WARPLD_TRACE_INFO == 1 << TRACE_CATEGORY_INFO &&
                  WARPLD_TRACE_ALL == (1 << TRACE_CATEGORY_COUNT) - 1,
              "the bits of the public header are the categories of trace.def");

static void deliver_trace_line(void *context, enum trace_category category, const char *text)
{
    const link_context *link = context;
    struct warpld_trace_line public = {
        .size = sizeof public, .category = (enum warpld_trace)(1 << category), .text = text};
    link->options.trace_line(link->options.trace_context, &public);
}

static void start_trace(link_context *link)
{
    if (link->options.trace_line)
        link->trace = (struct trace){link->options.trace, deliver_trace_line, link};
}

/* The arena's handler must not return: every entry point that allocates has set the jump. */
static void jump_out(void *owner)
{
    struct handle *handle = owner;
    handle->failure = WARPLD_ERROR_MEMORY;
    longjmp(handle->out_of_memory, 1);
}

static const char *copy_text(link_context *link, const char *text)
{
    return text ? arena_copy_string(&link->arena, text, strlen(text)) : NULL;
}

static const char *const *copy_texts(link_context *link, const char *const *texts, size_t count)
{
    const char **copies = ARENA_ARRAY(&link->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = copy_text(link, texts[i]);
    return copies;
}

/* A caller built against an older header hands in a shorter structure; what it lacks stays zero. */
static void copy_options(link_context *link, const struct warpld_options *options)
{
    size_t size = options->size < sizeof link->options ? options->size : sizeof link->options;
    memcpy(&link->options, options, size);
    struct warpld_options *own = &link->options;
    own->size = sizeof *own;
    own->architecture = copy_text(link, own->architecture);
    own->recorded_options = copy_text(link, own->recorded_options);
    own->recorded_output = copy_text(link, own->recorded_output);
    own->kernels_used = copy_texts(link, own->kernels_used, own->kernels_used_count);
    own->variables_used = copy_texts(link, own->variables_used, own->variables_used_count);
    own->library_paths = copy_texts(link, own->library_paths, own->library_paths_count);
    link->diagnostics.warnings_are_errors = own->warnings_are_errors;
    start_trace(link);
}

/* The part of creation that allocates from the arena; frees the handle when memory runs out. */
static bool prepare(struct handle *handle, const struct warpld_options *options)
{
    if (setjmp(handle->out_of_memory)) {
        warpld_destroy(&handle->link);
        return false;
    }
    linked_names_init(&handle->link);
    name_table_init(&handle->input.linked_before, &handle->link.arena, sizeof(struct name));
    name_table_init(&handle->input.known_files, &handle->link.arena, sizeof(struct known_file));
    name_table_init(&handle->input.missing_libraries, &handle->link.arena, sizeof(struct name));
    copy_options(&handle->link, options);
    return true;
}

/* The link with what each folder keeps. */
static link_context *link_of(struct handle *handle)
{
    link_context *link = &handle->link;
    link->input = &handle->input;
    link->resolve = &handle->resolve;
    link->relocate = &handle->relocate;
    link->merge = &handle->merge;
    link->layout = &handle->layout;
    link->resources = &handle->resources;
    link->write = &handle->write;
    return link;
}

/* NULL when memory runs out. */
static struct warpld_link *create(const struct warpld_options *options)
{
    struct handle *handle = calloc(1, sizeof *handle);
    if (!handle)
        return NULL;
    link_context *link = link_of(handle);
    handle->receiver = (struct receiver){options->diagnostic, options->diagnostic_context};
    link->diagnostics.sink = deliver_diagnostic;
    link->diagnostics.context = &handle->receiver;
    handle->replaced_file = -1;
    link->toolkit = WARPLD_TOOLKIT_VERSION;
    arena_init(&link->arena, jump_out, handle);
    return prepare(handle, options) ? link : NULL;
}

/* Of options whose callback is known, though there is no link. */
static enum warpld_status report_uncreated(const struct warpld_options *options,
                                           enum diagnostic_name message, enum warpld_status status)
{
    struct receiver receiver = {options->diagnostic, options->diagnostic_context};
    struct diagnostics diagnostics = {.sink = deliver_diagnostic, .context = &receiver};
    diagnostic_report(&diagnostics, message, NULL, NULL, sizeof *options, WARPLD_VERSION);
    return status;
}

enum warpld_status warpld_create(const struct warpld_options *options, struct warpld_link **link)
{
    enum { SMALLEST_OPTIONS = offsetof(struct warpld_options, compile) }; /* the first version */
    if (link)
        *link = NULL;
    if (!link || !options || options->size < SMALLEST_OPTIONS || options->size > LARGEST_STRUCTURE)
        return WARPLD_ERROR_ARGUMENT;
    if (!is_caller_structure(options, SMALLEST_OPTIONS, sizeof *options))
        return report_uncreated(options, DIAGNOSTIC_OPTIONS_UNKNOWN, WARPLD_ERROR_ARGUMENT);
    *link = create(options);
    return *link ? WARPLD_OK
                 : report_uncreated(options, DIAGNOSTIC_OUT_OF_MEMORY, WARPLD_ERROR_MEMORY);
}

static struct input_file *new_file(link_context *link, const char *name)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    file->name = copy_text(link, name);
    *ARENA_APPEND(&link->arena, link->input, files) = file;
    return file;
}

/* Whether a call that belongs before the run can do its work; else what it returns. */
static enum warpld_status status_before_run(struct warpld_link *link)
{
    if (!link || handle_of(link)->has_run)
        return WARPLD_ERROR_ARGUMENT;
    return handle_of(link)->failure;
}

/* The link lacks an input from now on: it must not succeed. */
static enum warpld_status refuse_input(struct warpld_link *link, const char *function,
                                       const char *argument)
{
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NULL_ARGUMENT, NULL, NULL, function, argument);
    return handle_of(link)->failure = WARPLD_ERROR_ARGUMENT;
}

static uint64_t inputs_size(const struct warpld_link *link)
{
    uint64_t size = 0;
    for (size_t i = 0; i < link->input->files_count; i++)
        size += link->input->files[i]->size;
    for (size_t i = 0; i < link->input->libraries_count; i++)
        size += link->input->libraries[i]->size;
    for (size_t i = 0; i < link->input->opened_count; i++)
        size += link->input->opened[i]->size;
    return size;
}

static enum warpld_status report_exhausted(struct warpld_link *link)
{
    show_all_held_messages(link);
    release_compiled(link);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUT_OF_MEMORY, NULL, NULL);
    if (link->arena.limit)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_MEMORY_BUDGET, NULL, NULL,
                          (unsigned long long)link->arena.reserved,
                          (unsigned long long)inputs_size(link));
    return WARPLD_ERROR_MEMORY;
}

/* Any link may take a gigabyte, and more by its inputs. */
static void limit_memory(struct warpld_link *link)
{
    link->arena.limit = (size_t)1 << 30;
    inputs_allow_memory(link, inputs_size(link));
}

enum warpld_status warpld_add_memory(struct warpld_link *link, const char *name, const void *data,
                                     size_t size)
{
    enum warpld_status status = status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!name || (!data && size))
        return refuse_input(link, "warpld_add_memory", name ? "data" : "name");
    if (setjmp(handle_of(link)->out_of_memory))
        return report_exhausted(link);
    struct input_file *file = new_file(link, name);
    file->bytes = (struct bytes){data, size};
    file->size = size;
    file->is_loaded = true;
    file->is_in_memory = true;
    return WARPLD_OK;
}

static enum warpld_status report_file(struct warpld_link *link, enum diagnostic_name message,
                                      const char *path, int error, enum warpld_status status)
{
    char reason[128] = "unknown reason";
    if (strerror_r(error, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", error);
    diagnostic_report(&link->diagnostics, message, path, NULL, path);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_FILE_REASON, path, NULL, path, reason);
    return status;
}

enum warpld_status warpld_add_file(struct warpld_link *link, const char *path)
{
    enum warpld_status status = status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!path)
        return refuse_input(link, "warpld_add_file", "path");
    if (setjmp(handle_of(link)->out_of_memory))
        return report_exhausted(link);
    new_file(link, path);
    return WARPLD_OK;
}

enum warpld_status warpld_add_library(struct warpld_link *link, const char *name)
{
    enum warpld_status status = status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!name)
        return refuse_input(link, "warpld_add_library", "name");
    if (setjmp(handle_of(link)->out_of_memory))
        return report_exhausted(link);
    library_search(link, copy_text(link, name));
    return link->diagnostics.fatals ? WARPLD_ERROR_FATAL : WARPLD_OK;
}

/* From where on there is much to make. */
static void start_page_feeder(link_context *link)
{
    enum { LEAST_MEMORY = LARGE_FROM(4 << 20, 1) };
    size_t memory = link->arena.reserved;
    for (size_t i = 0; i < link->input->reader_arenas_count; i++)
        memory += link->input->reader_arenas[i].reserved;
    if (link_workers(link, 2) < 2 || memory < LEAST_MEMORY)
        return;
    page_feeder_start(&handle_of(link)->page_feeder);
    link->arena.feeder = &handle_of(link)->page_feeder;
}

enum warpld_status warpld_run(struct warpld_link *link)
{
    enum warpld_status status = status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (report_option_conflicts(&link->options, &link->diagnostics))
        return handle_of(link)->failure = WARPLD_ERROR_ARGUMENT;
    handle_of(link)->has_run = true;
    if (setjmp(handle_of(link)->out_of_memory)) {
        page_feeder_stop(&handle_of(link)->page_feeder);
        return report_exhausted(link);
    }
    link_report_pass(link, "read_inputs");
    read_inputs(link);
    limit_memory(link);
    start_page_feeder(link);
    status = link_run(link);
    page_feeder_stop(&handle_of(link)->page_feeder);
    return status;
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
        return report_exhausted(link);
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

static bool has_output(link_context *link)
{
    if (handle_of(link)->failure)
        return false;
    return link->progress == PROGRESS_READY || link->progress == PROGRESS_WRITTEN;
}

enum warpld_status warpld_output(struct warpld_link *link, const void **data, size_t *size)
{
    if (!link || !data || !size || !has_output(link))
        return WARPLD_ERROR_ARGUMENT;
    if (setjmp(handle_of(link)->out_of_memory))
        return report_exhausted(link);
    if (link->progress == PROGRESS_READY)
        write_in_memory(link);
    if (link->progress != PROGRESS_WRITTEN)
        return WARPLD_ERROR_FATAL;
    *data = link->write->result.data;
    *size = (size_t)link->write->result.size;
    return WARPLD_OK;
}

static bool make_file(void *context, struct file_sink *sink)
{
    return write_to_file(context, sink);
}

static void close_replaced(link_context *link)
{
    if (handle_of(link)->replaced_file >= 0)
        close(handle_of(link)->replaced_file);
    handle_of(link)->replaced_file = -1;
}

enum warpld_status warpld_write(struct warpld_link *link, const char *path)
{
    if (!link || !path || !has_output(link))
        return WARPLD_ERROR_ARGUMENT;
    link_report_pass(link, "write_file");
    close_replaced(link);
    int error = link->progress == PROGRESS_WRITTEN
                    ? file_replace(path, link->write->result)
                    : file_replace_made(path, make_file, link, &handle_of(link)->replaced_file);
    if (error == ECANCELED)
        return WARPLD_ERROR_FATAL; /* and has been reported */
    if (error)
        return report_file(link, DIAGNOSTIC_OUTPUT_UNWRITABLE, path, error, WARPLD_ERROR_OUTPUT);
    return WARPLD_OK;
}

static void count_inputs(const struct warpld_link *link, struct warpld_statistics *known)
{
    known->input_bytes = inputs_size(link);
    known->objects = link->objects_count;
    for (size_t i = 0; i < link->objects_count; i++) {
        const struct elf_view *elf = &link->objects[i]->elf;
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
    for (size_t i = 0; i < link->input->reader_arenas_count; i++)
        known.memory += link->input->reader_arenas[i].reserved;
    count_inputs(link, &known);
    return fill_caller_structure(statistics, &known, sizeof known);
}

/* What takes long to free: the link's own memory is the first of the arenas. */
struct remains {
    int replaced_file;
    struct arena arenas[1 + PARALLEL_MOST_WORKERS];
};

static void free_remains(void *context, unsigned worker, size_t index)
{
    struct remains *remains = context;
    (void)worker;
    if (index)
        arena_destroy(&remains->arenas[index - 1]);
    else if (remains->replaced_file >= 0)
        close(remains->replaced_file);
}

/* Of a large link it takes as long as one of the longer passes. */
static void free_large(link_context *link)
{
    size_t readers = link->input->reader_arenas_count;
    struct remains remains;
    remains.replaced_file = handle_of(link)->replaced_file;
    remains.arenas[0] = link->arena;
    for (size_t i = 0; i < readers; i++)
        remains.arenas[1 + i] = link->input->reader_arenas[i];
    bool is_large = readers || handle_of(link)->replaced_file >= 0;
    parallel_for(is_large ? link_workers(link, 2) : 1, 2 + readers, free_remains, &remains);
}

void warpld_destroy(struct warpld_link *link)
{
    if (!link)
        return;
    for (size_t i = 0; i < link->input->files_count; i++)
        file_unmap(&link->input->files[i]->mapping);
    for (size_t i = 0; i < link->input->libraries_count; i++)
        file_unmap(&link->input->libraries[i]->mapping);
    for (size_t i = 0; i < link->input->passed_over_count; i++)
        file_unmap(&link->input->passed_over[i]->mapping);
    for (size_t i = 0; i < link->input->opened_count; i++)
        file_unmap(&link->input->opened[i]->mapping);
    diagnostics_destroy(&link->diagnostics);
    free_large(link);
    free(link);
}
