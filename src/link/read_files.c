/* The list of files that a link has read, for callers that keep what a link needs. */
#include <errno.h>

#include "format/archive.h"
#include "link/link.h"

/* The file of an index that counts through all lists. */
static struct input_file *file_at(const link_context *link, size_t index,
                                  enum warpld_file_kind *kind)
{
    const struct {
        struct input_file *const *files;
        size_t count;
        enum warpld_file_kind kind;
    } lists[] = {
        {link->files, link->files_count, WARPLD_FILE_INPUT},
        {link->libraries, link->libraries_count, WARPLD_FILE_LIBRARY},
        {link->passed_over, link->passed_over_count, WARPLD_FILE_LIBRARY},
        {link->opened, link->opened_count, WARPLD_FILE_MEMBER},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *kind = lists[i].kind;
        if (index < lists[i].count)
            return lists[i].files[index];
        index -= lists[i].count;
    }
    return NULL;
}

/* Only archives are searched for, of which there are few. */
static size_t first_same(const link_context *link, const struct input_file *file, size_t index)
{
    enum warpld_file_kind kind;
    if (!archive_recognise(file->bytes))
        return index;
    for (size_t i = 0; i < index; i++)
        if (file_is_same(&file_at(link, i, &kind)->mapping, &file->mapping))
            return i;
    return index;
}

static size_t index_of(const link_context *link, const struct input_file *file)
{
    enum warpld_file_kind kind;
    size_t index = 0;
    while (file_at(link, index, &kind) != file)
        index++;
    return index;
}

/* The bytes are gone, see elf_view_settle. False when the file has changed since. */
static bool reload(link_context *link, struct input_file *file)
{
    struct mapped_file now;
    int error = file_load(&now, file->name, ARENA);
    if (error == ENOMEM)
        arena_give_up(ARENA);
    bool is_same = !error && file_is_unchanged(&file->mapping, file->size, &now);
    if (is_same && !now.mapping)
        file->bytes = now.bytes;
    file_unmap(&now);
    return file->bytes.data;
}

bool describe_file(link_context *link, size_t index, struct warpld_read_file *file)
{
    enum warpld_file_kind kind;
    struct input_file *found = file_at(link, index, &kind);
    if (!found)
        return false;
    bool is_gone = found->size && !found->bytes.data;
    bool is_there = !found->missing && (!is_gone || reload(link, found));
    struct warpld_read_file known = {
        .kind = kind,
        .path = found->name,
        .data = found->bytes.data,
        .data_size = (size_t)found->bytes.size,
        .archive = found->archive ? index_of(link, found->archive) : index,
        .same_as = first_same(link, found, index),
        .missing = !is_there,
    };
    known.size = file->size < sizeof known ? file->size : sizeof known;
    memcpy(file, &known, known.size);
    return true;
}
