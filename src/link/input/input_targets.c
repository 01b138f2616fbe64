/* Finds the targets of the device code in a file; see input_targets.h. Used only by links that fail
 * or skip a library; nvlink reports no targets. */
#include "link/input/input_targets.h"

#include <string.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf_view.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/model/compat.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

enum { MOST_MEMBERS = 64, MOST_FILES = 64, MOST_ENTRIES = 64 };

static void add_name(struct input_targets *targets, const char *name)
{
    for (unsigned i = 0; i < targets->count; i++)
        if (!strcmp(targets->names[i], name))
            return;
    if (targets->count < MOST_TARGETS)
        targets->names[targets->count++] = name;
}

const char *input_target_of_entry(link_context *link, const struct fatbin_entry *entry)
{
    const char *kind = entry->kind == FATBIN_PTX   ? "compute"
                       : entry->kind == FATBIN_ELF ? "sm"
                                                   : "lto";
    const char *suffix = entry->flags & FATBIN_ACCELERATED ? "a"
                         : entry->flags & FATBIN_FAMILY    ? "f"
                                                           : "";
    return arena_format(&link->arena, "%s_%u%s", kind, entry->sm, suffix);
}

const char *input_target_of_object(link_context *link, const struct input_object *object)
{
    return arena_format(&link->arena, "sm_%u%s", elf_view_sm(&object->elf),
                        compat_is_accelerated(object) ? "a" : "");
}

static void add_fatbin(link_context *link, struct input_targets *targets, struct bytes file)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    fatbin_open(&fatbin, file);
    for (int i = 0; i < MOST_ENTRIES && !fatbin.problem && fatbin_next_entry(&fatbin, &entry);
         i++) {
        add_name(targets, input_target_of_entry(link, &entry));
    }
}

static void add_cubin(link_context *link, struct input_targets *targets, struct bytes file)
{
    struct input_object object = {.file = file};
    if (elf_view_open(&object.elf, file, &link->arena, elf_stop_at_damage, NULL))
        add_name(targets, input_target_of_object(link, &object));
}

/* Adds the targets of any file but an archive. */
static void add_targets_of_object(link_context *link, struct input_targets *targets,
                                  struct bytes file)
{
    struct host_object host;
    if (elf_identify(file) == ELF_KIND_DEVICE) {
        add_cubin(link, targets, file);
    } else if (fatbin_recognise(file)) {
        add_fatbin(link, targets, file);
    } else if (host_object_open(file, &host)) {
        add_fatbin(link, targets, host.relocatable_code);
        add_fatbin(link, targets, host.linked_code);
    }
}

void input_targets_add(link_context *link, struct input_targets *targets, struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    if (!archive_recognise(file)) {
        add_targets_of_object(link, targets, file);
        return;
    }
    archive_open(&archive, file);
    for (int i = 0; i < MOST_MEMBERS && archive_next(&archive, &member); i++)
        add_targets_of_object(link, targets, member.contents);
}

const char *input_targets_text(link_context *link, const struct input_targets *targets)
{
    return targets->count ? arena_join_all(&link->arena, targets->names, targets->count, ", ")
                          : NULL;
}

static struct input_targets targets_of_inputs(link_context *link)
{
    struct input_targets targets = {.count = 0};
    for (size_t i = 0; i < link->input->files_count && i < MOST_FILES; i++) {
        struct input_file *file = link->input->files[i];
        if (!file->is_loaded && !file->is_in_memory)
            input_file_load(file, link, &link->arena);
        input_targets_add(link, &targets, file->bytes);
    }
    for (size_t i = 0; i < link->input->libraries_count && i < MOST_FILES; i++)
        input_targets_add(link, &targets, link->input->libraries[i]->bytes);
    return targets;
}

void input_targets_report(link_context *link)
{
    const struct input_targets targets = targets_of_inputs(link);
    const char *text = input_targets_text(link, &targets);
    if (text)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_TARGETS, NULL, NULL, text);
}

void input_targets_report_others(link_context *link, const char *target)
{
    const struct input_targets targets = targets_of_inputs(link);
    const char *text = input_targets_text(link, &targets);
    for (unsigned i = 0; i < targets.count; i++)
        if (!strcmp(targets.names[i], target)) /* target's code was refused for other reasons */
            return;
    if (text)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NOTHING_FITS_TARGETS, NULL, NULL, text,
                          target);
}

/* --------------------------------------------------------------------------------------------- */
/* Skipped libraries                                                                             */

static const char *machine_name(link_context *link, unsigned machine)
{
    static const struct {
        unsigned number;
        char name[12]; /* not a pointer, which would have to be relocated when the program starts */
    } MACHINES[] = {
#define HOST_MACHINE(number, name) {number, name},
#include "base/host_machine.def"
#undef HOST_MACHINE
    };
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++)
        if (MACHINES[i].number == machine)
            return MACHINES[i].name;
    return arena_format(&link->arena, "ELF machine %u", machine);
}

/* Reports why library_search skipped the file. As in library_search, only the first member of the
 * archive decides. */
void input_targets_explain_library(link_context *link, const char *path, struct bytes file)
{
    struct diagnostics *diagnostics = &link->diagnostics;
    struct archive archive;
    struct archive_member member;
    struct host_object host;
    if (!archive_recognise(file)) {
        diagnostic_report(diagnostics, DIAGNOSTIC_LIBRARY_NO_ARCHIVE, path, NULL, path);
        return;
    }
    archive_open(&archive, file);
    if (!archive_next(&archive, &member))
        return; /* not reached: without as_nvlink, empty archives are not skipped */
    if (!host_object_open(member.contents, &host)) {
        diagnostic_report(diagnostics, DIAGNOSTIC_LIBRARY_WITHOUT_CODE, path, NULL,
                          arena_copy_string(&link->arena, (const char *)member.name.data,
                                            (size_t)member.name.size),
                          path);
        return;
    }
    struct input_targets targets = {.count = 0};
    input_targets_add(link, &targets, file);
    const char *text = input_targets_text(link, &targets);
    diagnostic_report(
        diagnostics, DIAGNOSTIC_LIBRARY_HOST, path, NULL, path, machine_name(link, host.machine),
        machine_name(link, link->options.host_machine),
        text ? "; its device code is for " : "; it has no device code", text ? text : "");
}
