/* Finds the archives that -l names.
 *
 * The first folder that has libNAME.a decides, but a libNAME.so in any folder, also behind it, is
 * what is found, and gives nothing: what its device code needed was linked when it was made. So it
 * is with nvlink 13.0.88, for which whatever has that name counts, a folder too (24 links); the
 * host's linker decides folder by folder. An archive for another host is passed over:
 * nvlink 13.0.88 looks at its first member. There are no folders that are searched without being
 * named, and a library that is nowhere is no error: compilers name those of the host too. It is
 * named when something stays undefined. */
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
#include "format/elf_view.h"
#include "link/input/input_state.h"
#include "link/input/recognise.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Whether device code can be in it: the first member tells what the archive is for. */
static bool is_compatible(const link_context *link, struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    struct host_object host;
    if (!archive_recognise(file))
        return false;
    archive_open(&archive, file);
    if (!archive_next(&archive, &member))
        return !link->options.as_nvlink && !archive.problem; /* nvlink: an empty one is for none */
    if (host_object_open(member.contents, &host))
        return !link->options.host_machine || host.machine == link->options.host_machine;
    return member.is_external || elf_identify(member.contents) == ELF_KIND_DEVICE ||
           fatbin_recognise(member.contents) || is_ptx(member.contents);
}

/* -l:NAME means a file of that name, as for the host's linker; nvlink looks for lib:NAME.a. */
static bool names_file(const link_context *link, const char *name)
{
    return !link->options.as_nvlink && name[0] == ':' && name[1];
}

/* Most lead nowhere, and there are as many as folders times libraries: the link keeps only those of
 * files that are there. False: it is longer than any that the system opens. */
static bool find_path(const link_context *link, size_t folder, const char *name, const char *suffix,
                      char path[PATH_MAX])
{
    const char *parent = link->options.library_paths[folder];
    bool is_file = names_file(link, name);
    int size = is_file ? snprintf(path, PATH_MAX, "%s/%s", parent, name + 1)
                       : snprintf(path, PATH_MAX, "%s/lib%s%s", parent, name, suffix);
    return size >= 0 && size < PATH_MAX && file_exists(path);
}

/* The first that exists; NULL if none does. */
static const char *find_file(link_context *link, const char *name, const char *suffix)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < link->options.library_paths_count; i++)
        if (find_path(link, i, name, suffix, path))
            return arena_copy_string(&link->arena, path, strlen(path));
    return NULL;
}

/* Whether a shared library is found instead of an archive. */
static bool is_hidden(link_context *link, const char *name)
{
    const char *shared = find_file(link, name, ".so");
    const char *archive = shared ? find_file(link, name, ".a") : NULL;
    if (archive)
        *ARENA_APPEND(&link->arena, link->input, hidden_libraries) =
            (struct hidden_library){name, archive, shared};
    return shared != NULL;
}

/* NULL: it cannot be read. Until it is known to fit it belongs to those that were passed over, so
 * that it is unmapped whatever happens. */
static struct input_file *open_library(link_context *link, const char *path)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    *ARENA_APPEND(&link->arena, link->input, passed_over) = file;
    file->name = arena_copy_string(&link->arena, path, strlen(path));
    int error = file_map(&file->mapping, path);
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

/* With -Werror the first archive that is passed over ends the link when another one is opened
 * (observed with one and several folders and libraries). True when it is over. */
static bool give_up_on_errors(link_context *link)
{
    if (link->diagnostics.errors && !link->diagnostics.fatals)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FAILED, NULL, NULL);
    return link->diagnostics.fatals;
}

void library_search(link_context *link, const char *name)
{
    if (link->diagnostics.fatals || (!names_file(link, name) && is_hidden(link, name)))
        return;
    char path[PATH_MAX];
    for (size_t i = 0; i < link->options.library_paths_count; i++) {
        bool exists = find_path(link, i, name, ".a", path);
        struct input_file *file = exists ? open_library(link, path) : NULL;
        if (!file)
            continue;
        if (give_up_on_errors(link))
            return;
        if (is_compatible(link, file->bytes)) {
            *ARENA_APPEND(&link->arena, link->input, libraries) = file;
            link->input->passed_over_count--;
            return;
        }
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_INCOMPATIBLE, path, NULL, path,
                          name);
    }
    name_table_intern(&link->input->missing_libraries, name); /* compilers name some twice */
}
