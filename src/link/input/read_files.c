/* Lists the files that a link has read, for callers that archive the inputs of a link. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/name_table.h"
#include "format/container/archive.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct file_array {
    struct input_file *const *files;
    size_t count;
    enum warpld_file_kind kind;
};

static struct file_array array_of(const link_context *link, unsigned list)
{
    const struct file_array arrays[FILE_LISTS] = {
        [LIST_INPUTS] = {link->input->files, link->input->files_count, WARPLD_FILE_INPUT},
        [LIST_LIBRARIES] = {link->input->libraries, link->input->libraries_count,
                            WARPLD_FILE_LIBRARY},
        [LIST_PASSED_OVER] = {link->input->passed_over, link->input->passed_over_count,
                              WARPLD_FILE_LIBRARY},
        [LIST_MEMBERS] = {link->input->opened, link->input->opened_count, WARPLD_FILE_MEMBER},
    };
    return arrays[list];
}

/* Returns the file with this index, and sets *kind. The index counts the files of all lists, one
 * list after the other. */
static struct input_file *file_at(const link_context *link, size_t index,
                                  enum warpld_file_kind *kind)
{
    for (unsigned list = 0; list < FILE_LISTS; list++) {
        struct file_array array = array_of(link, list);
        *kind = array.kind;
        if (index < array.count)
            return array.files[index];
        index -= array.count;
    }
    return NULL;
}

static size_t index_of(const link_context *link, const struct input_file *file)
{
    size_t index = file->list_index;
    for (unsigned list = 0; list < file->list; list++)
        index += array_of(link, list).count;
    return index;
}

static bool precedes(const struct input_file *file, const struct input_file *other)
{
    return file->list != other->list ? file->list < other->list
                                     : file->list_index < other->list_index;
}

/* Whether the input is an archive in a file. False for archives in memory. */
static bool is_archive_file(const struct input_file *file)
{
    return archive_recognise(file->bytes) && file->mapping.identity.inode;
}

static void number_file(link_context *link, struct input_file *file, unsigned list, size_t position)
{
    file->list = (uint8_t)list;
    file->list_index = (uint32_t)position;
    if (!is_archive_file(file))
        return;
    struct known_file *known = link_known_file(link, &file->mapping.identity);
    if (!known->first_listed || precedes(file, known->first_listed))
        known->first_listed = file;
}

/* Numbers the files that were added since the last call. Callers query one file after the other, so
 * numbering all files in each call would take too long. Earlier numbers remain valid, because the
 * lists only grow. */
static void number_files(link_context *link)
{
    for (unsigned list = 0; list < FILE_LISTS; list++) {
        struct file_array array = array_of(link, list);
        for (; link->input->files_numbered[list] < array.count;
             link->input->files_numbered[list]++) {
            size_t position = link->input->files_numbered[list];
            number_file(link, array.files[position], list, position);
        }
    }
}

static size_t first_same(link_context *link, const struct input_file *file)
{
    const struct known_file *known = NULL;
    if (is_archive_file(file))
        known = link_known_file(link, &file->mapping.identity);
    return index_of(link, known && known->first_listed ? known->first_listed : file);
}

/* Reads again a file whose bytes were released, see elf_view_settle. Returns false if the file
 * cannot be read or has changed. */
static bool reload(link_context *link, struct input_file *file)
{
    struct mapped_file now;
    int error = file_load(&now, file->name, &link->arena, link_file_access(link));
    if (error == ENOMEM)
        arena_give_up(&link->arena);
    bool is_same = !error && file_is_unchanged(&file->mapping, file->size, &now);
    if (is_same && !now.mapping)
        file->bytes = now.bytes;
    file_unmap(&now);
    return file->bytes.data;
}

/* Describes a file, whose bytes are read again if they were released. */
bool describe_file(link_context *link, size_t index, struct warpld_read_file *file)
{
    enum warpld_file_kind kind;
    number_files(link);
    struct input_file *found = file_at(link, index, &kind);
    if (!found)
        return false;
    struct input_file *read = found->read_before ? found->read_before : found;
    bool is_released = read->size && !read->bytes.data;
    bool is_readable = !read->missing && (!is_released || reload(link, read));
    *file = (struct warpld_read_file){
        .size = sizeof *file,
        .kind = kind,
        .path = found->name,
        .data = read->bytes.data,
        .data_size = (size_t)read->bytes.size,
        .archive = found->archive ? index_of(link, found->archive) : index,
        .same_as = first_same(link, found),
        .missing = !is_readable,
    };
    return true;
}

struct known_file *link_known_file(link_context *link, const struct file_identity *identity)
{
    struct name_table *table = &link->input->known_files;
    struct known_file *found =
        name_table_find_bytes(table, (const char *)identity, sizeof *identity);
    if (found)
        return found;
    struct file_identity *copy = ARENA_NEW(&link->arena, struct file_identity);
    *copy = *identity;
    return name_table_intern_bytes(table, (const char *)copy, sizeof *copy);
}
