/* Converts the plan to bytes.
 *
 * Requires: READY (all offsets and indices).
 * Makes: WRITTEN, the output file, in memory or window by window in a file.
 * Frozen after: nothing more.
 *
 * The pass checks that each section was written with exactly the planned size. If one was not, the
 * pass reports an error and returns no output. */
#include "link/write/write.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/file_sink.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/elf.h"
#include "format/section_type.h"
#include "link/merge/merge_unified.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/relocate/texture_loads.h"
#include "link/write/apply.h"
#include "link/write/metadata.h"
#include "link/write/write_output.h"
#include "link/write/write_parts.h"
#include "link/write/write_state.h"

/* --------------------------------------------------------------------------------------------- */

/* Writes the first word of a Mercury code section, which is the index of its native section. */
static void write_native_index(const struct output_section *section, uint8_t *bytes)
{
    const struct output_section *native = output_counterpart(section);
    if (section->type != SHT_MERCURY_CODE || section->size < 4)
        return;
    assert(native); /* output_add_counterpart creates both */
    store_u32(bytes, native->index);
}

/* Writes the contents of a section if they are in the window. Symbols and relocations are written
 * separately. */
static void write_contents(link_context *link, struct output_section *section,
                           const struct file_window *window)
{
    const struct output *output = &link->output;
    uint8_t *bytes = window_section(window, section);
    if (!bytes)
        return;
    switch ((enum section_content)section->content) {
    case CONTENT_CHUNKS:
        write_chunks(section, 0, section->chunks_count, window);
        write_native_index(section, bytes);
        break;
    case CONTENT_RECORDS:
        section->written = (uint32_t)(records_write(link, section, bytes) - bytes);
        break;
    case CONTENT_BYTES:
        if (output_rare(section)->bytes)
            memcpy(bytes, output_rare(section)->bytes, section->size);
        else
            metadata_write(link, section, bytes);
        break;
    case CONTENT_ENTRIES:
        unified_write(link, section, bytes);
        break;
    case CONTENT_NAMES:
    case CONTENT_STRINGS:
        write_strings(output, section, bytes);
        break;
    case CONTENT_NONE:
    case CONTENT_RELOCATIONS:
    case CONTENT_SYMBOLS:
    case CONTENT_INDICES:
        break;
    }
}

/* Returns the first list of the target's relocations in the window, NULL if there is none. If the
 * target itself is in another window, apply_to_section handles its relocations when it reaches this
 * list: it writes all of the target's lists in the window at once. */
static const struct output_section *first_list(const struct output_section *target,
                                               const struct file_window *window)
{
    const struct output_section *const lists[] = {
        target->rel, target->rela, output_rare(target)->slot_rel, output_rare(target)->resolved};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i] && window_section(window, lists[i]))
            return lists[i];
    return NULL;
}

static void apply_to_section(link_context *link, struct output_section *section,
                             const struct file_window *window)
{
    struct output_section *target = section;
    if (section->content == CONTENT_RELOCATIONS) {
        target = section->info; /* NULL only with Mercury code, where the file is one window */
        if (!target || window_section(window, target) || first_list(target, window) != section)
            return;
    } else if (link->first_texture_slot) {
        texture_loads_apply(link, section, window_section(window, section));
    }
    if (output_is_relocated(target))
        apply_relocations(link, target, window);
}

/* Fills the window. Contents are copied before relocations are applied, because relocations change
 * them. */
static void fill_window(link_context *link, const struct file_window *window)
{
    struct output_section **sections = link->output.ordered;
    for (uint32_t i = window->first_section; i < window->end_section; i++)
        write_contents(link, sections[i], window);
    write_symbols(link, window);
    for (uint32_t i = window->first_section; i < window->end_section; i++)
        apply_to_section(link, sections[i], window);
    write_headers(link, window);
}

/* --------------------------------------------------------------------------------------------- */
/* All windows                                                                                   */

/* A window of this size fits into the cache of one CPU core. Sections that are larger have their
 * own window. */
enum { WINDOW_SIZE = LARGE_FROM(512 << 10, 256) };

static void add_window(link_context *link, struct file_window *window, uint64_t end)
{
    window->size = end - window->start;
    if (window->size)
        *ARENA_APPEND(&link->arena, link->write, windows) = *window;
    *window = (struct file_window){
        .start = end, .first_section = window->end_section, .end_section = window->end_section};
}

/* Returns true if the section is a sequence of chunks that no relocation changes. Large chunks of
 * such a section are written from their own memory, because copying them first would take as long
 * as writing them. */
static bool is_straight(const struct output_section *section)
{
    if (section->content != CONTENT_CHUNKS || output_is_relocated(section))
        return false;
    uint64_t end = 0;
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        if (chunk->offset < end)
            return false;
        end = chunk->offset + chunk->size;
    }
    return true;
}

/* Returns true if one thread must write the whole file. Windows require that sections do not
 * overlap, but a native and a Mercury section can have the same offset. --force-rela and
 * --preserve-relocs read the addends of entries from the patched section, which must then be in the
 * same window. */
static bool is_one_window(const link_context *link)
{
    return link_has_mercury(link) || link->options.force_addends ||
           link->options.preserve_relocations;
}

/* Returns the index of the first section that ends after the file offset `offset`. Searches from
 * `first` up to, but not including, `end`. Returns `end` if there is none. */
static uint32_t first_ending_after(const struct output *output, uint32_t first, uint32_t end,
                                   uint64_t offset)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        const struct output_section *section = output->ordered[middle];
        if (section->offset + output_bytes_in_file(section) <= offset)
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* Adds windows for the small sections before `end`. The last window is left in `window` without
 * being added, because further sections can follow in it. */
static void add_small_sections(link_context *link, struct file_window *window, uint32_t end)
{
    const struct output *output = &link->output;
    while (window->end_section < end) {
        uint32_t next =
            first_ending_after(output, window->end_section, end, window->start + WINDOW_SIZE);
        window->end_section = next;
        if (next < end)
            add_window(link, window, output->ordered[next]->offset);
    }
}

static void add_large_section(link_context *link, struct file_window *window, uint32_t index)
{
    const struct output_section *section = link->output.ordered[index];
    uint64_t end = section->offset + section->size;
    enum window_kind kind = is_straight(section)           ? WINDOW_STRAIGHT
                            : is_written_in_parts(section) ? WINDOW_IN_PARTS
                                                           : WINDOW_WHOLE;
    if (kind != WINDOW_WHOLE || end - window->start > WINDOW_SIZE)
        add_window(link, window, section->offset);
    window->end_section = index + 1;
    window->kind = (uint8_t)kind;
    if (kind != WINDOW_WHOLE)
        add_window(link, window, end);
}

static void add_section_windows(link_context *link, struct file_window *window)
{
    const struct output *output = &link->output;
    if (!is_one_window(link)) {
        for (uint32_t i = 0; i < output->large_count; i++) {
            add_small_sections(link, window, output->large[i]);
            add_large_section(link, window, output->large[i]);
        }
        add_small_sections(link, window, output->ordered_count);
    }
    window->end_section = output->ordered_count;
    add_window(link, window, output->section_headers);
}

static void plan_windows(link_context *link)
{
    const struct output *output = &link->output;
    uint64_t headers_end =
        output->section_headers + (uint64_t)output->ordered_count * ELF_SECTION_HEADER_SIZE;
    struct file_window window = {.first_section = 1, .end_section = 1};
    if (output->size <= WINDOW_SIZE) {
        window.end_section = output->ordered_count;
        add_window(link, &window, output->size);
        return;
    }
    add_section_windows(link, &window);
    for (uint64_t end = window.start + WINDOW_SIZE; end < headers_end; end += WINDOW_SIZE)
        add_window(link, &window, end);
    add_window(link, &window, output->size);
}

static bool counts_written_bytes(const struct output_section *section)
{
    switch ((enum section_content)section->content) {
    case CONTENT_RECORDS:
    case CONTENT_NAMES:
    case CONTENT_STRINGS:
    case CONTENT_RELOCATIONS:
        return true;
    default:
        return false;
    }
}

static uint64_t written_size(const struct output_section *section)
{
    bool is_list = section->content == CONTENT_RELOCATIONS;
    return (uint64_t)section->written * (is_list ? section->entry_size : 1);
}

static bool has_wrong_size(const struct output_section *section)
{
    return counts_written_bytes(section) && written_size(section) != section->size;
}

/* Records whether a section of the window has another size than planned. Each thread calls this for
 * the window that it has written, while the sections are in the CPU's cache. */
static void check_window(link_context *link, const struct file_window *window)
{
    for (uint32_t i = window->first_section; i < window->end_section; i++)
        if (has_wrong_size(link->output.ordered[i]))
            atomic_store(&link->write->has_wrong_size, true);
}

/* Writes the name of a section to the caller's buffer `name`, for a message. A name that is too
 * long is not written. The name is not copied to the link's memory, because nothing may be
 * allocated there any more. */
static void put_name(const struct output_section *section, char *name, size_t capacity)
{
    if (section->name->name.size < capacity)
        *linked_name_write(section->name, (uint8_t *)name) = 0;
}

static void report_size(link_context *link, const struct output_section *section)
{
    char name[256] = "a section";
    put_name(section, name, sizeof name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INTERNAL_SIZE, NULL, NULL, name,
                      (unsigned long long)section->size, (unsigned long long)written_size(section));
}

static void report_wrong_sizes(link_context *link)
{
    for (uint32_t i = 1; i < link->output.ordered_count; i++)
        if (has_wrong_size(link->output.ordered[i]))
            report_size(link, link->output.ordered[i]);
}

/* Warns that a relocation in the output has no symbol, which happens only if an input is damaged.
 * nvlink 13.0.88 reports nothing and writes symbol 0. The warning is reported once, even if the
 * output is written several times. Returns false if warnings are errors. */
static bool warn_of_symbols(link_context *link)
{
    if (link->options.as_nvlink)
        return true;
    if (!link->write->has_warned_of_symbols) {
        char name[256] = "a section";
        put_name(link->output.ordered[link->write->lost_symbol_list], name, sizeof name);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_RELOCATION_SYMBOL, NULL, NULL, name);
    }
    link->write->has_warned_of_symbols = true;
    return !link->diagnostics.warnings_are_errors;
}

/* If the output was written before, resets the counts of what was written to each section. */
static void reset_written(link_context *link)
{
    struct output *output = &link->output;
    for (size_t i = 0; link->write->was_written && i < output->sections_count; i++) {
        output->sections[i]->written = 0;
        output->sections[i]->has_first_name = false;
    }
    link->write->was_written = true;
}

static uint32_t failures(const link_context *link)
{
    return link->diagnostics.errors + link->diagnostics.fatals;
}

/* Returns whether the output was written without a failure. Only new failures count, because an
 * earlier attempt may have failed for lack of disk space. */
static bool check_windows(link_context *link, uint32_t failures_before)
{
    if (link->write->has_wrong_size)
        report_wrong_sizes(link);
    bool is_usable = !link->write->lost_symbol_list || warn_of_symbols(link);
    return is_usable && failures(link) == failures_before;
}

/* --------------------------------------------------------------------------------------------- */
/* In memory                                                                                     */

struct memory_writer {
    link_context *link;
    uint8_t *file;
};

static void write_window(void *context, unsigned worker, size_t index)
{
    const struct memory_writer *writer = context;
    (void)worker;
    struct file_window window = writer->link->write->windows[index];
    window.bytes = writer->file + window.start;
    fill_window(writer->link, &window);
    check_window(writer->link, &window);
}

/* Returns the number of threads. With Mercury code there is only one, because filling the window
 * allocates from the link's memory. If that memory is exhausted, a jump ends the link. This jump
 * must not start on another thread. */
static unsigned window_workers(const link_context *link)
{
    enum { WINDOWS_OF_A_WORKER = LARGE_FROM(2, 1) };
    return is_one_window(link)
               ? 1
               : link_workers(link, link->write->windows_count / WINDOWS_OF_A_WORKER);
}

void write_in_memory(link_context *link)
{
    struct memory_writer writer = {link, ARENA_ARRAY(&link->arena, uint8_t, link->output.size)};
    uint32_t before = failures(link);
    reset_written(link);
    parallel_for(window_workers(link), link->write->windows_count, write_window, &writer);
    if (!check_windows(link, before))
        return;
    link->write->result = (struct bytes){writer.file, link->output.size};
    link->progress = PROGRESS_WRITTEN;
}

/* --------------------------------------------------------------------------------------------- */
/* In a file                                                                                     */

/* Whether the window has only zeros, so that the file can have a hole instead. Parameters are zero
 * until the driver writes them; in a link of many small kernels they are an eighth of the file. The
 * last window of a file is never a hole, because it contains headers. */
static bool is_hole(const struct file_window *window)
{
    return !*window->bytes && !memcmp(window->bytes, window->bytes + 1, window->size - 1);
}

static void put_whole(struct part_writer *writer, struct file_window *window)
{
    window->bytes = part_buffer(writer, window->start, window->size);
    if (!window->bytes)
        return;
    fill_window(writer->link, window);
    if (!is_hole(window))
        file_sink_put(writer->sink, window->start, (struct bytes){window->bytes, window->size});
}

static void put_window(void *context, unsigned worker, size_t index)
{
    struct part_writer *writer = (struct part_writer *)context + worker;
    struct file_window window = writer->link->write->windows[index];
    struct output_section **sections = writer->link->output.ordered;
    if (window.kind == WINDOW_WHOLE) /* a window of headers has no section */
        put_whole(writer, &window);
    else if (window.kind == WINDOW_STRAIGHT)
        put_straight(writer, sections[window.first_section]);
    else
        write_in_parts(writer, sections[window.first_section]);
    if (window.kind != WINDOW_STRAIGHT)
        check_window(writer->link, &window);
}

bool write_to_file(link_context *link, struct file_sink *sink)
{
    struct part_writer writers[PARALLEL_MOST_WORKERS];
    unsigned workers = file_sink_is_stream(sink) ? 1 : window_workers(link);
    uint32_t before = failures(link);
    reset_written(link);
    for (unsigned i = 0; i < workers; i++)
        writers[i] = (struct part_writer){.link = link, .sink = sink};
    parallel_for(workers, link->write->windows_count, put_window, writers);
    for (unsigned i = 0; i < workers; i++)
        free(writers[i].memory);
    return !file_sink_failed(sink) && check_windows(link, before);
}

/* --------------------------------------------------------------------------------------------- */

/* Returns true if the output can be written later, when its destination is known. Only a large
 * output waits, and only if writing it allocates nothing in the link's memory. */
static bool can_wait(const link_context *link)
{
    enum { LEAST_SIZE = LARGE_FROM(1 << 20, 1) };
    return !link_has_mercury(link) && link->output.size >= LEAST_SIZE;
}

void pass_write_output(link_context *link)
{
    plan_windows(link);
    if (can_wait(link))
        link->progress = PROGRESS_READY;
    else
        write_in_memory(link);
}
