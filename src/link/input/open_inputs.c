/* Finds the device code in the inputs.
 *
 * Requires: INDEX_READ (errors in the index file end the link before a message about an input).
 * Makes: OPENED, the units in the order of linking.
 * Frozen after: nothing more.
 *
 * All members of an archive are linked, at the archive's position on the command line. */
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/archive.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/shared_inputs.h"
#include "link/input/skip_units.h"
#include "link/input/source.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/prepared/prepared_inputs.h"

/* Whether the file is too short for device code. nvlink 13.0.88 reports that files of 1 to 55 bytes
 * cannot be opened. Archives are an exception, because an archive without members has only 8
 * bytes. */
static bool is_too_short(const struct source *source)
{
    enum { LEAST_SIZE = 56 };
    return source->bytes.size && source->bytes.size < LEAST_SIZE &&
           !archive_recognise(source->bytes);
}

/* Whether the file is an archive that was opened before. If the caller adds an archive twice, even
 * by two paths, it is linked once. An object that is added twice is linked twice, and its
 * definitions conflict. */
static bool is_opened_archive(link_context *link, const struct input_file *file)
{
    if (file->view || !archive_recognise(file->bytes) || !file->mapping.identity.inode)
        return false;
    struct known_file *known = link_known_file(link, &file->mapping.identity);
    bool is_opened = known->is_opened_archive;
    known->is_opened_archive = true;
    return is_opened;
}

static void open_bytes(link_context *link, struct input_file *file)
{
    size_t units = link->units_count;
    struct source source = {.name = file->name, .bytes = file->bytes, .file = file};
    if (file->missing)
        source_add_broken(link, &source, DIAGNOSTIC_INPUT_UNREADABLE, file->missing);
    else if (is_too_short(&source))
        source_add_broken(link, &source, DIAGNOSTIC_INPUT_UNREADABLE,
                          "too short for any kind of input");
    else if (archive_recognise(source.bytes))
        open_archive(link, &source);
    else
        open_object(link, &source);
    file->is_without_code = link->units_count == units;
    file->unusable = source.unusable;
}

static uint64_t reported_text(const link_context *link)
{
    uint64_t size = 0;
    for (int severity = 0; severity < SEVERITY_COUNT; severity++)
        size += link->diagnostics.text_size[severity];
    return size;
}

/* Opens the file, and records the effects on the link in file->opened, so that a later link can use
 * a snapshot instead. */
static void open_and_note(link_context *link, struct input_file *file)
{
    struct input_state *input = link->input;
    uint64_t text = reported_text(link), uses = input->linked_before_uses;
    uint32_t files = input->opened_count, hosts = input->host_object_count;
    bool had_silent = input->has_silent_host_object, had_unusable = input->has_unusable_code;
    input->has_silent_host_object = input->has_unusable_code = false;
    open_bytes(link, file);
    file->opened = (struct opened_file){
        .is_silent = reported_text(link) == text && !input->has_broken_input &&
                     !input->has_unusable_code && input->opened_count == files &&
                     input->linked_before_uses == uses,
        .has_silent_host_object = input->has_silent_host_object,
        .host_object_count = input->host_object_count - hosts,
        .hosts_before = hosts,
    };
    input->has_silent_host_object |= had_silent;
    input->has_unusable_code |= had_unusable;
}

static void open_unless_known(link_context *link, struct input_file *file)
{
    if (file->shared && take_shared_units(link, file))
        return;
    if (!file->is_looked_for)
        open_bytes(link, file);
    else if (!take_snapshot_units(link, file))
        open_and_note(link, file);
}

void open_file(link_context *link, struct input_file *file)
{
    if (is_opened_archive(link, file))
        return;
    file->first_unit = link->units_count;
    prepared_input_find(link, file);
    open_unless_known(link, file);
    file->units_count = link->units_count - file->first_unit;
    for (uint32_t i = 0; i < file->units_count; i++)
        link->units[file->first_unit + i]->file = file;
}

void pass_open_inputs(link_context *link)
{
    for (size_t i = 0; i < link->input->files_count && !link->input->has_broken_input; i++)
        open_file(link, link->input->files[i]);
    link->input->opens_libraries = true;
    for (size_t i = 0; i < link->input->libraries_count && !link->input->has_broken_input; i++)
        open_file(link, link->input->libraries[i]);
    skip_linked_units(link);
}
