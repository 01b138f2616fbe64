/* Finds the archives that -l names.
 *
 * The first folder that has libNAME.a decides, unless the archive is for another host: nvlink
 * 13.0.88 looks at its first member. There are no folders that are searched without being named,
 * and a library that is nowhere is no error: compilers name those of the host too. */
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

void library_search(link_context *link, const char *name)
{
    for (size_t i = 0; i < link->options.library_paths_count; i++) {
        struct mapped_file mapping;
        const char *path = arena_format(ARENA, "%s/lib%s.a", link->options.library_paths[i], name);
        if (file_map(&mapping, path))
            continue;
        struct input_file *file = ARENA_NEW(ARENA, struct input_file);
        *file = (struct input_file){.name = path, .mapping = mapping, .bytes = mapping.bytes};
        if (is_compatible(link, mapping.bytes)) {
            *ARENA_APPEND(ARENA, link, libraries) = file;
            return;
        }
        *ARENA_APPEND(ARENA, link, passed_over) = file;
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_INCOMPATIBLE, path, NULL, path,
                          name);
    }
}
