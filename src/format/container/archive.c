/* Archives; see archive.h. */
#include "format/container/archive.h"

#include <string.h>

static const char MAGIC[] = "!<arch>\n", THIN_MAGIC[] = "!<thin>\n";
enum { MAGIC_SIZE = 8 };

/* The header of a member is text, in fields of fixed width padded with blanks. */
enum {
    HEADER_SIZE = 60,
    NAME_SIZE = 16,
    SIZE_OFFSET = 48,
    SIZE_SIZE = 10,
    END_OFFSET = 58, /* offset of the end mark: a back quote and a newline */
};

/* In the table of long names, a slash and a newline follow each name. */
enum { LONGEST_WITH_END = ARCHIVE_LONGEST_NAME + 2 };

bool archive_recognise(struct bytes file)
{
    return file.size >= MAGIC_SIZE &&
           (!memcmp(file.data, MAGIC, MAGIC_SIZE) || !memcmp(file.data, THIN_MAGIC, MAGIC_SIZE));
}

void archive_open(struct archive *archive, struct bytes file)
{
    *archive = (struct archive){.file = file, .position = MAGIC_SIZE};
    archive->is_thin = !memcmp(file.data, THIN_MAGIC, MAGIC_SIZE);
}

static bool fail(struct archive *archive, const char *problem)
{
    archive->problem = problem;
    archive->position = archive->file.size;
    return false;
}

/* Reads a decimal number. It ends before the first character that is not a digit. Returns false if
 * the text does not begin with a digit. */
static bool read_number(const uint8_t *text, unsigned size, uint64_t *number)
{
    unsigned digits = 0;
    for (*number = 0; digits < size && text[digits] >= '0' && text[digits] <= '9'; digits++)
        *number = *number * 10 + (text[digits] - '0');
    return digits > 0;
}

static bool is_named(const uint8_t *header, const char *name)
{
    size_t size = strlen(name);
    return !memcmp(header, name, size) && header[size] == ' ';
}

/* Resolves a name such as "/12": 12 is the offset of the real name in the table of long names. A
 * slash and a newline end the name. The search is for the newline, not for the first slash, because
 * names in a thin archive are paths with slashes. The search for the newline stops after the
 * longest valid name. Without this limit, an archive whose thousands of members refer to a table of
 * 8 MB without a newline took 18 s. */
static bool long_name(const struct archive *archive, const uint8_t *header, struct bytes *name)
{
    uint64_t offset;
    if (!read_number(header + 1, NAME_SIZE - 1, &offset) || offset >= archive->long_names.size)
        return false;
    for (unsigned i = 1; i < NAME_SIZE; i++)
        if (header[i] != ' ' && (header[i] < '0' || header[i] > '9'))
            return false;
    const uint8_t *start = archive->long_names.data + offset;
    uint64_t rest = archive->long_names.size - offset;
    size_t searched = rest < LONGEST_WITH_END ? (size_t)rest : LONGEST_WITH_END;
    const uint8_t *end = memchr(start, '\n', searched);
    if (!end)
        return false;
    *name = (struct bytes){start, (uint64_t)(end - start)};
    if (name->size && name->data[name->size - 1] == '/')
        name->size--;
    return name->size <= ARCHIVE_LONGEST_NAME;
}

/* Reads a name such as "#1/12": the first 12 bytes of the member's contents are the real name. NULs
 * at its end are padding. */
static bool extended_name(const uint8_t *header, struct archive_member *member)
{
    uint64_t size;
    if (!read_number(header + 3, NAME_SIZE - 3, &size) || size > member->contents.size)
        return false;
    member->name = (struct bytes){member->contents.data, size};
    const uint8_t *end = size ? memchr(member->name.data, '\0', (size_t)size) : NULL;
    if (end)
        member->name.size = (uint64_t)(end - member->name.data);
    member->contents.data += size;
    member->contents.size -= size;
    return member->name.size <= ARCHIVE_LONGEST_NAME;
}

/* Returns a name that is stored in the header itself. GNU ar ends such a name with a slash, BSD's
 * ar with a blank. */
static struct bytes short_name(const uint8_t *header)
{
    uint64_t size = 0;
    while (size < NAME_SIZE && header[size] != '/' && header[size] != ' ')
        size++;
    return (struct bytes){header, size};
}

static bool read_name(const struct archive *archive, const uint8_t *header,
                      struct archive_member *member)
{
    if (header[0] == '/')
        return long_name(archive, header, &member->name);
    if (!memcmp(header, "#1/", 3))
        return extended_name(header, member);
    member->name = short_name(header);
    return true;
}

/* Returns true for a symbol table. An archive stores its symbol tables and its table of long names
 * like members. In a thin archive, the contents of these tables follow their headers, but those of
 * members do not. */
static bool is_symbol_table(const uint8_t *header)
{
    return is_named(header, "/") || is_named(header, "/SYM64/") || !memcmp(header, "__.SYMDEF", 9);
}

/* Reads the size of a member. Returns false if the bytes are not a valid header of a member. */
static bool read_size(const uint8_t *header, uint64_t *size)
{
    return header[END_OFFSET] == '`' && header[END_OFFSET + 1] == '\n' &&
           read_number(header + SIZE_OFFSET, SIZE_SIZE, size);
}

uint64_t archive_extent(struct bytes start)
{
    bool is_thin = !memcmp(start.data, THIN_MAGIC, MAGIC_SIZE);
    uint64_t position = MAGIC_SIZE, size;
    struct bytes header;
    while (bytes_part(start, position, HEADER_SIZE, &header)) {
        if (!read_size(header.data, &size))
            return position;
        bool is_table = is_named(header.data, "//") || is_symbol_table(header.data);
        uint64_t stored = is_thin && !is_table ? 0 : size;
        position += HEADER_SIZE + stored + (stored & 1);
    }
    return UINT64_MAX;
}

static bool read_member(struct archive *archive, const uint8_t *header,
                        struct archive_member *member, bool *is_table)
{
    uint64_t size;
    bool is_names = is_named(header, "//");
    *is_table = is_names || is_symbol_table(header);
    *member = (struct archive_member){.is_external = archive->is_thin && !*is_table};
    if (!read_size(header, &size))
        return fail(archive, "the header of a member is damaged");
    uint64_t start = archive->position + HEADER_SIZE;
    uint64_t stored = member->is_external ? 0 : size;
    if (!bytes_part(archive->file, start, stored, &member->contents))
        return fail(archive, "a member reaches past the end of the archive");
    archive->position = start + stored + (stored & 1);
    if (*is_table && !is_names && archive->is_past_symbols)
        return fail(archive, "a symbol table follows members or their names");
    archive->is_past_symbols |= is_names || !*is_table;
    if (is_names)
        archive->long_names = member->contents;
    if (!*is_table && !read_name(archive, header, member))
        return fail(archive, "the name of a member is damaged");
    return true;
}

bool archive_next(struct archive *archive, struct archive_member *member)
{
    bool is_table = true;
    while (is_table) {
        struct bytes header;
        if (archive->position >= archive->file.size)
            return false;
        if (!bytes_part(archive->file, archive->position, HEADER_SIZE, &header))
            return fail(archive, "the header of a member is cut off");
        if (!read_member(archive, header.data, member, &is_table))
            return false;
    }
    return true;
}
