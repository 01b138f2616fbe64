/* Creates and frees links; see handle.h, and warpld.h for the calls. */
#include "link/handle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/name_table.h"
#include "base/parallel.h"
#include "base/trace.h"
#include "format/container/fatbin.h"
#include "link/caller_structure.h"
#include "link/image/choose_images.h"
#include "link/image/compile_images.h"
#include "link/input/held_messages.h"
#include "link/library.h"
#include "link/lto/lto_passes.h"
#include "link/model/linked_names.h"

static void forward_diagnostic(void *context, const struct diagnostic *diagnostic)
{
    const struct receiver *receiver = context;
    struct warpld_link *link = receiver->link;
    if (link && link->options.keep_log)
        message_log_add(&handle_of(link)->log, &link->arena, diagnostic);
    if (!receiver->callback)
        return;
    struct warpld_diagnostic public = {
        .size = sizeof public,
        .severity = (enum warpld_severity)diagnostic->severity,
        .code = diagnostic->code,
        .text = diagnostic->text,
        .input = diagnostic->input,
        .symbol = diagnostic->symbol,
        .section = diagnostic->section,
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

static void forward_trace_line(void *context, enum trace_category category, const char *text)
{
    const link_context *link = context;
    struct warpld_trace_line public = {
        .size = sizeof public, .category = (enum warpld_trace)(1 << category), .text = text};
    link->options.trace_line(link->options.trace_context, &public);
}

static void start_trace(link_context *link)
{
    if (link->options.trace_line)
        link->trace = (struct trace){link->options.trace, forward_trace_line, link};
}

/* Called by the arena when memory runs out; must not return. Each public function that allocates
 * calls setjmp first. */
static void jump_out(void *owner)
{
    struct handle *handle = owner;
    handle->failure = WARPLD_ERROR_MEMORY;
    longjmp(handle->out_of_memory, 1);
}

enum warpld_status handle_refuse_null(struct warpld_link *link, const char *function,
                                      const char *argument)
{
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_NULL_ARGUMENT, NULL, NULL, function, argument);
    return handle_of(link)->failure = WARPLD_ERROR_ARGUMENT;
}

const char *handle_copy_text(link_context *link, const char *text)
{
    return text ? arena_copy_string(&link->arena, text, strlen(text)) : NULL;
}

static const char *const *copy_texts(link_context *link, const char *const *texts, size_t count)
{
    const char **copies = ARENA_ARRAY(&link->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        copies[i] = handle_copy_text(link, texts[i]);
    return copies;
}

void handle_apply_options(link_context *link)
{
    link->diagnostics.warnings_are_errors = link->options.warnings_are_errors;
    link->diagnostics.hides_endings = !link->options.as_nvlink;
    link->arena.limit = link->options.memory_limit;
    start_trace(link);
}

/* A caller compiled against an older header passes a shorter structure; the missing fields are
 * zero. */
static void copy_options(link_context *link, const struct warpld_options *options)
{
    size_t size = options->size < sizeof link->options ? options->size : sizeof link->options;
    memcpy(&link->options, options, size);
    struct warpld_options *own = &link->options;
    own->size = sizeof *own;
    own->architecture = handle_copy_text(link, own->architecture);
    own->recorded_options = handle_copy_text(link, own->recorded_options);
    own->recorded_output = handle_copy_text(link, own->recorded_output);
    own->kernels_used = copy_texts(link, own->kernels_used, own->kernels_used_count);
    own->variables_used = copy_texts(link, own->variables_used, own->variables_used_count);
    own->library_paths = copy_texts(link, own->library_paths, own->library_paths_count);
    handle_apply_options(link);
}

/* Does the part of the creation that allocates from the arena. If memory runs out, frees the handle
 * and returns false. */
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

/* Returns the link of the handle, with pointers to the state of each folder of src/link. */
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

/* The caller's structure may be of an older version, which is shorter and has no allocator. */
static struct memory_source source_of(const struct warpld_options *options)
{
    if (options->size < END_OF(struct warpld_options, memory_context))
        return (struct memory_source){0};
    return (struct memory_source){options->allocate, options->release, options->memory_context};
}

/* Uses the caller's allocator if the options have one, otherwise the heap. */
static struct handle *allocate_handle(const struct memory_source *source)
{
    struct handle *handle = source->allocate ? source->allocate(source->context, sizeof *handle)
                                             : malloc(sizeof *handle);
    if (handle) {
        memset(handle, 0, sizeof *handle);
        handle->memory_source = *source;
    }
    return handle;
}

static void free_handle(struct handle *handle)
{
    struct memory_source source = handle->memory_source;
    if (source.release)
        source.release(source.context, handle);
    else
        free(handle);
}

/* Returns NULL if memory runs out. */
static struct warpld_link *create(const struct warpld_options *options,
                                  const struct memory_source *source)
{
    struct handle *handle = allocate_handle(source);
    if (!handle)
        return NULL;
    link_context *link = link_of(handle);
    handle->receiver = (struct receiver){link, options->diagnostic, options->diagnostic_context};
    link->diagnostics.sink = forward_diagnostic;
    link->diagnostics.context = &handle->receiver;
    handle->replaced_file = -1;
    link->toolkit = WARPLD_TOOLKIT_VERSION;
    arena_init(&link->arena, jump_out, handle);
    link->arena.source = handle->memory_source.allocate ? &handle->memory_source : NULL;
    return prepare(handle, options) ? link : NULL;
}

/* Reports that no link was created. The message passes through the callback of the options, because
 * there is no link whose diagnostics could report it. */
static enum warpld_status report_uncreated(const struct warpld_options *options,
                                           enum diagnostic_name message, enum warpld_status status)
{
    struct receiver receiver = {NULL, options->diagnostic, options->diagnostic_context};
    struct diagnostics diagnostics = {.sink = forward_diagnostic, .context = &receiver};
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
    struct memory_source source = source_of(options);
    if (!source.allocate != !source.release)
        return report_uncreated(options, DIAGNOSTIC_ALLOCATOR_INCOMPLETE, WARPLD_ERROR_ARGUMENT);
    *link = create(options, &source);
    return *link ? WARPLD_OK
                 : report_uncreated(options, DIAGNOSTIC_OUT_OF_MEMORY, WARPLD_ERROR_MEMORY);
}

uint64_t handle_inputs_size(const struct warpld_link *link)
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

/* Lifts the memory limit, because otherwise the log could not store the message that memory ran
 * out. Nothing but the log allocates after that, because the link has failed. */
enum warpld_status handle_report_exhausted(struct warpld_link *link)
{
    size_t limit = link->arena.limit, reserved = link->arena.reserved;
    link->arena.limit = 0;
    show_all_held_messages(link);
    release_compiled(link);
    release_optimised(link);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUT_OF_MEMORY, NULL, NULL);
    if (limit)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_MEMORY_BUDGET, NULL, NULL,
                          (unsigned long long)reserved,
                          (unsigned long long)handle_inputs_size(link));
    return WARPLD_ERROR_MEMORY;
}

enum warpld_status handle_status_before_run(struct warpld_link *link)
{
    if (!link || handle_of(link)->has_run)
        return WARPLD_ERROR_ARGUMENT;
    return handle_of(link)->failure;
}

bool handle_has_output(struct warpld_link *link)
{
    return !handle_of(link)->failure &&
           (link->progress == PROGRESS_READY || link->progress == PROGRESS_WRITTEN);
}

bool handle_has_plan(struct warpld_link *link)
{
    return handle_has_output(link) && !link->finished.data;
}

/* Resources that take long to free: a replaced output file (see struct handle) and all arenas.
 * arenas[0] is the link's arena, the others belong to the threads that read inputs. */
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

/* Frees on several threads, because freeing the memory of a large link takes as long as one of the
 * longer passes. */
static void free_large(link_context *link)
{
    size_t readers = link->input->worker_arenas_count;
    struct remains remains;
    remains.replaced_file = handle_of(link)->replaced_file;
    remains.arenas[0] = link->arena;
    for (size_t i = 0; i < readers; i++)
        remains.arenas[1 + i] = link->input->worker_arenas[i];
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
    for (size_t i = 0; i < link->input->shared_libraries_count; i++)
        library_release(link->input->shared_libraries[i]);
    fatbin_unpacker_destroy(&link->input->unpacker);
    diagnostics_destroy(&link->diagnostics);
    free_large(link);
    free_handle(handle_of(link));
}
