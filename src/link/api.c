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
#include "base/file_sink.h"
#include "base/name_table.h"
#include "base/page_feeder.h"
#include "base/scale.h"
#include "base/trace.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/handle.h"
#include "link/image/choose_images.h"
#include "link/image/examine.h"
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

const char *warpld_version(void)
{
    return WARPLD_VERSION;
}

unsigned warpld_version_number(void)
{
    return WARPLD_VERSION_NUMBER;
}

bool warpld_knows_architecture(const char *name)
{
    return name && architecture_find(name);
}

unsigned warpld_output_abi(const char *name)
{
    const struct architecture *found = name ? architecture_find(name) : NULL;
    if (!found)
        return 0;
    return architecture_is_of_cuda_12(found) ? ABIVERSION_CUDA_12 : ABIVERSION_CUDA;
}

const char *warpld_status_name(enum warpld_status status)
{
    static const char *const NAMES[] = {"ok",     "argument", "fatal", "link",
                                        "memory", "output",   "end",   "cancelled"};
    size_t index = (size_t)status;
    return index < sizeof NAMES / sizeof *NAMES ? NAMES[index] : "unknown";
}

static struct input_file *new_file(link_context *link, const char *name)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    file->name = handle_copy_text(link, name);
    *ARENA_APPEND(&link->arena, link->input, files) = file;
    return file;
}

/* The memory, in bytes, of all threads that read inputs. */
static size_t readers_memory(const struct warpld_link *link)
{
    size_t memory = 0;
    for (size_t i = 0; i < link->input->worker_arenas_count; i++)
        memory += link->input->worker_arenas[i].reserved;
    return memory;
}

/* Sets how much memory the link may use. A limit of the caller also covers the threads that read
 * inputs, so their memory is subtracted from it. Without such a limit, the link gets a gigabyte,
 * and more in proportion to the size of the inputs. */
static void limit_memory(struct warpld_link *link)
{
    size_t limit = link->options.memory_limit, used = readers_memory(link);
    if (limit && used >= limit)
        arena_give_up(&link->arena);
    link->arena.limit = limit ? limit - used : (size_t)1 << 30;
    inputs_allow_memory(link, handle_inputs_size(link));
}

enum warpld_status warpld_add_memory(struct warpld_link *link, const char *name, const void *data,
                                     size_t size)
{
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!name || (!data && size))
        return handle_refuse_null(link, "warpld_add_memory", name ? "data" : "name");
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    struct input_file *file = new_file(link, name);
    file->bytes = (struct bytes){data, size};
    file->size = size;
    file->is_loaded = true;
    file->is_in_memory = true;
    file->view = examined_view(link, file->bytes);
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
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!path)
        return handle_refuse_null(link, "warpld_add_file", "path");
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    new_file(link, path);
    return WARPLD_OK;
}

enum warpld_status warpld_add_library(struct warpld_link *link, const char *name)
{
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (!name)
        return handle_refuse_null(link, "warpld_add_library", "name");
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    library_search(link, handle_copy_text(link, name));
    return link->diagnostics.fatals ? WARPLD_ERROR_FATAL : WARPLD_OK;
}

/* Starts the thread that populates pages before they are used. The thread saves time only if the
 * inputs are large. */
static void start_page_feeder(link_context *link)
{
    enum { LEAST_MEMORY = LARGE_FROM(4 << 20, 1) };
    size_t memory = link->arena.reserved + readers_memory(link);
    if (link_workers(link, 2) < 2 || memory < LEAST_MEMORY)
        return;
    page_feeder_start(&handle_of(link)->page_feeder);
    link->arena.feeder = &handle_of(link)->page_feeder;
}

/* Reads the inputs and runs the passes; see warpld.h. */
enum warpld_status warpld_run(struct warpld_link *link)
{
    enum warpld_status status = handle_status_before_run(link);
    if (status != WARPLD_OK)
        return status;
    if (report_option_conflicts(&link->options, &link->diagnostics))
        return handle_of(link)->failure = WARPLD_ERROR_ARGUMENT;
    handle_of(link)->has_run = true;
    if (setjmp(handle_of(link)->out_of_memory)) {
        page_feeder_stop(&handle_of(link)->page_feeder);
        return handle_report_exhausted(link);
    }
    if (link_is_cancelled(link))
        return WARPLD_ERROR_CANCELLED;
    link_report_pass(link, "read_inputs");
    read_inputs(link);
    limit_memory(link);
    start_page_feeder(link);
    status = link_run(link);
    page_feeder_stop(&handle_of(link)->page_feeder);
    return status;
}

enum warpld_status warpld_output(struct warpld_link *link, const void **data, size_t *size)
{
    if (!link || !data || !size || !handle_has_output(link))
        return WARPLD_ERROR_ARGUMENT;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    if (link->progress == PROGRESS_READY)
        write_in_memory(link);
    if (link->progress != PROGRESS_WRITTEN)
        return link_status(link);
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
    if (!link || !path || !handle_has_output(link))
        return WARPLD_ERROR_ARGUMENT;
    link_report_pass(link, "write_file");
    close_replaced(link);
    struct file_replacement replacement = {.is_durable = link->options.durable_output};
    bool is_written = link->progress == PROGRESS_WRITTEN;
    int error = is_written ? file_replace_durably(path, link->write->result, replacement.is_durable)
                           : file_replace_made(path, make_file, link, &replacement);
    handle_of(link)->replaced_file = is_written ? -1 : replacement.older;
    if (error == ECANCELED)
        return link_status(link); /* already reported */
    if (error)
        return report_file(link, DIAGNOSTIC_OUTPUT_UNWRITABLE, path, error, WARPLD_ERROR_OUTPUT);
    return WARPLD_OK;
}
