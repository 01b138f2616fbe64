/* Converts a thin archive to a normal archive; see saved_archive.h.
 *
 * A thin archive names its members by paths, which are not valid on another machine. A normal
 * archive whose members have the same names is equivalent for the linker. All names are in the
 * table of long names, because only there a name may be a path. The members keep their order. */
#include "cli/save/saved_archive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct member_list {
    struct warpld_link *link;
    size_t archive;   /* index of the archive among the files that the link has read */
    size_t next;      /* index of the file that next_member reads next */
    const char *path; /* path of the archive */
};

/* Returns the index of the archive's first member. If the archive has no members, returns the index
 * of the first member of a later archive. The search starts at the index `start`. */
static size_t first_member(struct warpld_link *link, size_t archive, size_t start)
{
    struct warpld_read_file file = {.size = sizeof file};
    while (warpld_get_read_file(link, start, &file) == WARPLD_OK &&
           (file.kind != WARPLD_FILE_MEMBER || file.archive < archive))
        start++;
    return start;
}

static struct member_list members_of(struct warpld_link *link, size_t archive, size_t start)
{
    struct warpld_read_file file = {.size = sizeof file};
    warpld_get_read_file(link, archive, &file);
    return (struct member_list){link, archive, first_member(link, archive, start), file.path};
}

/* Reads the next member. Returns false after the last one. The members of an archive are
 * consecutive. */
static bool next_member(struct member_list *list, struct warpld_read_file *member)
{
    *member = (struct warpld_read_file){.size = sizeof *member};
    return warpld_get_read_file(list->link, list->next++, member) == WARPLD_OK &&
           member->archive == list->archive;
}

/* Returns the name of a member in the archive. Messages show this name, too. It is relative to the
 * archive's folder if the member is in this folder. */
static const char *member_name(const struct member_list *list, const char *path)
{
    const char *slash = strrchr(list->path, '/');
    size_t size = slash ? (size_t)(slash - list->path) + 1 : 0;
    return !strncmp(list->path, path, size) ? path + size : path;
}

/* Returns the size of a name in the table of long names, including the slash and the newline that
 * end it. */
static size_t name_size(const struct member_list *list, const struct warpld_read_file *member)
{
    return strlen(member_name(list, member->path)) + 2;
}

static void write_header(FILE *file, const char *name, size_t size)
{
    fprintf(file, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644, size);
}

static void write_names(FILE *file, struct member_list list)
{
    struct member_list again = list;
    struct warpld_read_file member;
    size_t size = 0;
    while (next_member(&list, &member))
        size += name_size(&list, &member);
    write_header(file, "//", size);
    while (next_member(&again, &member))
        fprintf(file, "%s/\n", member_name(&again, member.path));
    if (size % 2)
        putc('\n', file);
}

static void write_members(FILE *file, struct member_list list)
{
    struct warpld_read_file member;
    size_t offset = 0;
    while (next_member(&list, &member)) {
        char name[24];
        snprintf(name, sizeof name, "/%zu", offset);
        write_header(file, name, member.data_size);
        fwrite(member.data ? member.data : "", 1, member.data_size, file);
        if (member.data_size % 2)
            putc('\n', file);
        offset += name_size(&list, &member);
    }
}

static bool is_complete(struct member_list list)
{
    struct warpld_read_file member;
    while (next_member(&list, &member))
        if (member.missing)
            return false;
    return true;
}

int saved_archive_write(const char *path, struct warpld_link *link, size_t archive, size_t *start)
{
    struct member_list members = members_of(link, archive, *start);
    *start = members.next;
    if (!is_complete(members))
        return 0;
    FILE *file = fopen(path, "wb");
    if (!file)
        return errno;
    fputs("!<arch>\n", file);
    write_names(file, members);
    write_members(file, members);
    bool failed = ferror(file) != 0;
    return fclose(file) || failed ? EIO : 0;
}
