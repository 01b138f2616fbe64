/* Finds the archives that -l names.
 *
 * The link uses libNAME.a of the first folder that has it. But if any folder, even a later one, has
 * libNAME.so, the link ignores libNAME.a: the device code of a shared library was linked when the
 * library was made. nvlink 13.0.88 does the same, and takes anything named libNAME.so for a shared
 * library, even a folder (24 links). Host linkers, in contrast, decide separately in each folder.
 *
 * Archives for another host are skipped. As in nvlink 13.0.88, the first member of an archive
 * decides whether the archive is skipped. No folders are searched by default. A library that is not
 * found is not an error, because compilers also pass the host's libraries. Notes after undefined
 * symbols mention libraries that were not found. */
#include "link/input/libraries.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/name_table.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/ptx_text.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Whether the argument of -l is a file name. As for the host's linker, -l:NAME means the file NAME;
 * nvlink looks for lib:NAME.a. */
static bool names_file(const link_context *link, const char *name)
{
    return !link->options.as_nvlink && name[0] == ':' && name[1];
}

const char *library_file_name(link_context *link, const char *name)
{
    return names_file(link, name) ? name + 1 : arena_format(&link->arena, "lib%s.a", name);
}

/* Whether the archive cannot be read to its end. */
static bool is_damaged(struct archive *archive)
{
    struct archive_member member;
    while (archive_next(archive, &member))
        ;
    return archive->problem;
}

/* Whether the file may be linked. It must be an archive whose first member may contain device code.
 * A damaged archive is accepted, too: the link reports the damage when it opens the archive.
 * -l:NAME may also name an object, as for host linkers. */
static bool is_compatible(const link_context *link, const char *name, struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    struct host_object host;
    if (!archive_recognise(file))
        return names_file(link, name);
    archive_open(&archive, file);
    if (!archive_next(&archive, &member))
        /* nvlink treats an empty archive as one for another host. */
        return !link->options.as_nvlink || archive.problem;
    if (host_object_open(member.contents, &host))
        return !link->options.host_machine || host.machine == link->options.host_machine;
    return member.is_external || elf_identify(member.contents) == ELF_KIND_DEVICE ||
           fatbin_recognise(member.contents) || is_ptx(member.contents) || is_damaged(&archive);
}

/* Makes the path of a library's file in one folder. Returns false if there is no such file, or if
 * the path is longer than the system allows. Writes the path to the caller's buffer and not to the
 * arena. One path is tried for each folder and library, and most of these paths do not exist. */
static bool find_path(const link_context *link, size_t folder, const char *name, const char *suffix,
                      char path[PATH_MAX])
{
    const char *parent = link->options.library_paths[folder];
    bool is_file = names_file(link, name);
    int size = is_file ? snprintf(path, PATH_MAX, "%s/%s", parent, name + 1)
                       : snprintf(path, PATH_MAX, "%s/lib%s%s", parent, name, suffix);
    return size >= 0 && size < PATH_MAX && file_exists(path);
}

/* Returns the path of the library's file in the first folder that has the file; NULL if no folder
 * has it. */
static const char *find_file(link_context *link, const char *name, const char *suffix)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < link->options.library_paths_count; i++)
        if (find_path(link, i, name, suffix, path))
            return arena_copy_string(&link->arena, path, strlen(path));
    return NULL;
}

/* Whether there is a shared library of that name. If so, the link ignores the archive, and this
 * function records both files for notes. */
static bool is_hidden(link_context *link, const char *name)
{
    const char *shared = find_file(link, name, ".so");
    const char *archive = shared ? find_file(link, name, ".a") : NULL;
    if (shared)
        *ARENA_APPEND(&link->arena, link->input, hidden_libraries) =
            (struct hidden_library){name, archive, shared};
    return shared != NULL;
}

/* Reads a file. Returns NULL if it cannot be read. Until the file is known to fit, it is in
 * passed_over, because warpld_destroy unmaps the files of this list, even after a failure. */
static struct input_file *open_library(link_context *link, const char *path)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    *ARENA_APPEND(&link->arena, link->input, passed_over) = file;
    file->name = arena_copy_string(&link->arena, path, strlen(path));
    int error = file_load(&file->mapping, path, NULL, link_file_access(link));
    if (error == ENOMEM)
        arena_give_up(&link->arena);
    if (error) {
        link->input->passed_over_count--;
        return NULL;
    }
    file->bytes = file->mapping.bytes;
    file->size = file->bytes.size;
    return file;
}

static const char *host_name(uint16_t machine)
{
    enum { EM_ARM = 40 };
    switch (machine) {
    case EM_ARM:
        return "its objects are for 32-bit ARM hosts";
    case EM_X86_64:
        return "its objects are for x86-64 hosts";
    case EM_AARCH64:
        return "its objects are for AArch64 hosts";
    default:
        return "its objects are for another host";
    }
}

/* Returns the reason why is_compatible is false for the file. */
static const char *reason_to_skip(struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    struct host_object host;
    if (!archive_recognise(file))
        return "it is not an archive";
    archive_open(&archive, file);
    if (!archive_next(&archive, &member))
        return "it is an empty archive";
    if (host_object_open(member.contents, &host))
        return host_name(host.machine);
    return "its first member is neither an object nor device code";
}

static void skip_library(link_context *link, const char *name, const struct input_file *file)
{
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_INCOMPATIBLE, file->name, NULL,
                      file->name, name);
    *ARENA_APPEND(&link->arena, link->input, skipped_libraries) =
        (struct skipped_library){arena_copy_string(&link->arena, name, strlen(name)), file->name,
                                 reason_to_skip(file->bytes)};
}

/* Returns true if the link ends because of an earlier archive for another host. With -Werror such
 * an archive ends the link when the next archive is opened (observed with one and several folders
 * and libraries). */
static bool give_up_on_library_errors(link_context *link)
{
    if (link->diagnostics.errors && !link->diagnostics.fatals)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FAILED, NULL, NULL);
    return link->diagnostics.fatals;
}

/* Searches the folders for a compatible archive, and warns about incompatible ones. */
void library_search(link_context *link, const char *name)
{
    if (link->diagnostics.fatals || (!names_file(link, name) && is_hidden(link, name)))
        return;
    char path[PATH_MAX];
    bool is_skipped = false;
    for (size_t i = 0; i < link->options.library_paths_count; i++) {
        bool exists = find_path(link, i, name, ".a", path);
        struct input_file *file = exists ? open_library(link, path) : NULL;
        if (!file)
            continue;
        if (give_up_on_library_errors(link))
            return;
        if (is_compatible(link, name, file->bytes)) {
            *ARENA_APPEND(&link->arena, link->input, libraries) = file;
            link->input->passed_over_count--;
            return;
        }
        skip_library(link, name, file);
        if (!link->options.as_nvlink) /* nvlink prints no reason */
            input_targets_explain_library(link, file->name, file->bytes);
        is_skipped = true;
    }
    if (!is_skipped)
        name_table_intern(&link->input->missing_libraries, name); /* compilers repeat names */
}
