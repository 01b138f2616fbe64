/* Finds the archives that -l names.
 *
 * The first folder that has libNAME.so or libNAME.a decides. The shared library comes first, as for
 * the host's linker, and gives nothing: what its device code needed was linked when it was made. An
 * archive for another host is passed over: nvlink 13.0.88 looks at its first member. There are no
 * folders that are searched without being named, and a library that is nowhere is no error:
 * compilers name those of the host too. It is named when something stays undefined. */
#include <string.h>

#include "format/archive.h"
#include "format/fatbin.h"
#include "link/link.h"
#include "link/recognise.h"

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
        return !archive.problem;
    if (host_object_open(member.contents, &host))
        return !link->options.host_machine || host.machine == link->options.host_machine;
    return member.is_external || elf_identify(member.contents) == ELF_KIND_DEVICE ||
           fatbin_recognise(member.contents) || is_ptx(member.contents);
}

/* Compilers name some twice. */
static void note_missing(link_context *link, const char *name)
{
    for (size_t i = 0; i < link->missing_libraries_count; i++)
        if (!strcmp(link->missing_libraries[i], name))
            return;
    *ARENA_APPEND(ARENA, link, missing_libraries) = name;
}

static const char *path_in(link_context *link, size_t folder, const char *name, const char *suffix)
{
    return arena_format(ARENA, "%s/lib%s%s", link->options.library_paths[folder], name, suffix);
}

/* The first archive in the folders from this one on. */
static void note_hidden(link_context *link, const char *name, const char *shared, size_t folder)
{
    for (; folder < link->options.library_paths_count; folder++) {
        const char *archive = path_in(link, folder, name, ".a");
        if (!file_exists(archive))
            continue;
        *ARENA_APPEND(ARENA, link, hidden_libraries) =
            (struct hidden_library){name, archive, shared};
        return;
    }
}

void library_search(link_context *link, const char *name)
{
    for (size_t i = 0; i < link->options.library_paths_count; i++) {
        struct mapped_file mapping;
        const char *path = path_in(link, i, name, ".a");
        const char *shared = path_in(link, i, name, ".so");
        if (file_exists(shared)) {
            note_hidden(link, name, shared, i);
            return;
        }
        if (file_map(&mapping, path))
            continue;
        struct input_file *file = ARENA_NEW(ARENA, struct input_file);
        *file = (struct input_file){
            .name = path, .mapping = mapping, .bytes = mapping.bytes, .size = mapping.bytes.size};
        if (is_compatible(link, mapping.bytes)) {
            *ARENA_APPEND(ARENA, link, libraries) = file;
            return;
        }
        *ARENA_APPEND(ARENA, link, passed_over) = file;
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_INCOMPATIBLE, path, NULL, path,
                          name);
    }
    note_missing(link, name);
}
