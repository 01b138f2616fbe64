/* Opens the members of archives, of thin archives and of archives inside archives. Part of
 * pass_open_inputs. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/archive.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/source.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

static struct input_file *add_member(link_context *link, const char *path,
                                     const struct input_file *archive)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    *file = (struct input_file){.name = path, .archive = archive};
    *ARENA_APPEND(&link->arena, link->input, opened) = file;
    return file;
}

/* The number of bytes of files that the same thin archive may name again, including the lengths of
 * the files' paths. Archives of compiled code name each file once. Several archives may share
 * files. */
enum { MOST_REPEATED_SIZE = 256 << 20 };

/* Opens the file that a thin archive's member names. Each file is read once, and raises the memory
 * limit once: an archive can name the same file thousands of times, with only 60 bytes for each. */
static struct input_file *open_member(link_context *link, const char *path,
                                      const struct input_file *archive)
{
    struct file_identity identity;
    struct known_file *known = NULL;
    if (file_identify(&identity, path))
        known = link_known_file(link, &identity);
    struct input_file *file = add_member(link, path, archive);
    if (known && known->member) {
        file->read_before = known->member;
        if (known->named_by == archive)
            link->input->repeated_size += known->member->size + strlen(path);
        known->named_by = archive;
        return known->member;
    }
    input_file_load(file, link, &link->arena);
    inputs_allow_memory(link, file->size);
    if (known) {
        known->member = file;
        known->named_by = archive;
    }
    return file;
}

/* Opens a member of a thin archive. The path that the member names is relative to the archive's
 * folder. The members of an archive in memory are refused, because this archive has no folder. It
 * may also come from somebody who must not read files of this machine. */
static bool open_external(link_context *link, const struct source *archive, struct bytes member,
                          struct source *inner)
{
    if (!archive->file || archive->file->is_in_memory) {
        source_add_broken(
            link, &(struct source){.name = archive->name, .is_member = true, .member = member},
            DIAGNOSTIC_INPUT_UNREADABLE,
            archive->file ? "the thin archive is in memory, and what it names is not read"
                          : "the thin archive is inside an archive, and what it names is not read");
        return false;
    }
    const char *slash = strrchr(archive->name, '/');
    bool absolute = member.size && *member.data == '/';
    int folder = slash && !absolute ? (int)(slash - archive->name + 1) : 0;
    const char *path = arena_format(&link->arena, "%.*s%.*s", folder, archive->name,
                                    (int)member.size, (const char *)member.data);
    const struct input_file *file = open_member(link, path, archive->file);
    *inner = (struct source){
        .name = archive->name, .bytes = file->bytes, .is_member = true, .member = member};
    if (link->input->repeated_size > MOST_REPEATED_SIZE)
        source_add_broken(link, archive, DIAGNOSTIC_CONTAINER_DAMAGED,
                          "its members name the same files again and again");
    else if (file->missing)
        source_add_broken(link, &(struct source){.name = file->name}, DIAGNOSTIC_INPUT_UNREADABLE,
                          arena_format(&link->arena,
                                       "%s; the thin archive '%s' only refers to this file",
                                       file->missing, archive->name));
    return !link->input->has_broken_input;
}

/* The limit of archives inside one another. No real library nests archives deeper, and each level
 * makes the names of members longer. */
enum { DEEPEST_ARCHIVE = 8 };

/* The archives that are open. Each archive except the first is a member of the previous one. */
struct open_archives {
    struct archive archives[DEEPEST_ARCHIVE];
    struct source sources[DEEPEST_ARCHIVE];
    size_t count;
};

static void push_archive(link_context *link, struct open_archives *open,
                         const struct source *source)
{
    if (open->count == DEEPEST_ARCHIVE) {
        source_add_broken(link, source, DIAGNOSTIC_CONTAINER_DAMAGED,
                          "too many archives are inside one another");
        return;
    }
    struct source *copy = &open->sources[open->count];
    *copy = (struct source){
        .name = source_full_name(link, source), .bytes = source->bytes, .file = source->file};
    archive_open(&open->archives[open->count++], source->bytes);
}

static void open_archive_member(link_context *link, struct open_archives *open,
                                const struct archive_member *member)
{
    const struct source *archive = &open->sources[open->count - 1];
    struct source inner = {.name = archive->name,
                           .bytes = member->contents,
                           .is_member = true,
                           .member = member->name};
    if (member->is_external && !open_external(link, archive, member->name, &inner))
        return;
    if (archive_recognise(inner.bytes))
        push_archive(link, open, &inner);
    else
        open_object(link, &inner);
}

void open_archive(link_context *link, const struct source *source)
{
    struct open_archives open = {.count = 0};
    struct archive_member member;
    push_archive(link, &open, source);
    while (open.count && !link->input->has_broken_input) {
        struct archive *archive = &open.archives[open.count - 1];
        if (archive_next(archive, &member))
            open_archive_member(link, &open, &member);
        else if (archive->problem)
            source_add_broken(link, &open.sources[open.count - 1], DIAGNOSTIC_CONTAINER_DAMAGED,
                              archive->problem);
        else
            open.count--;
    }
}
