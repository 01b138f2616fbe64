/* Changes fat binaries, archives and index files: fields of headers and entries, the number of
 * entries and their order. The sizes in headers are adjusted, so that most results can still be
 * read. */
#include <string.h>

#include "enclosing.h"
#include "format/container/fatbin_layout.h"
#include "format/unified_index.h"
#include "mutation.h"

enum { MOST_PARTS = 64 };

struct parts {
    struct part parts[MOST_PARTS];
    size_t count;
};

/* Finds the first parts of the chosen container. */
static void find_parts(const struct fuzz_input *input, struct parts *parts)
{
    size_t offset = first_part(input, input->start, input->kind);
    parts->count = 0;
    while (parts->count < MOST_PARTS && offset < input->end &&
           next_part(input, input->kind, offset, &parts->parts[parts->count]))
        offset = parts->parts[parts->count++].end;
}

/* Inserts a copy of one part before another one. */
static void copy_part(struct fuzz_input *input, const struct parts *parts)
{
    const struct part *from = &parts->parts[draw(input, parts->count)];
    const struct part *to = &parts->parts[draw(input, parts->count)];
    size_t size = from->end - from->header;
    size_t source = from->header + (to->header <= from->header ? size : 0);
    if (!insert_bytes(input, to->header, size))
        return;
    memmove(input->data + to->header, input->data + source, size);
    resize_content(input, input->start, input->kind, (int64_t)size);
}

static void remove_part(struct fuzz_input *input, const struct parts *parts)
{
    const struct part *part = &parts->parts[draw(input, parts->count)];
    size_t size = part->end - part->header;
    remove_bytes(input, part->header, size);
    resize_content(input, input->start, input->kind, -(int64_t)size);
}

/* Lengthens a part with zeros, or cuts bytes off. */
static void change_length(struct fuzz_input *input, const struct parts *parts)
{
    enum { STEP = 8, MOST_STEPS = 8 };
    const struct part *part = &parts->parts[draw(input, parts->count)];
    size_t size = part->end - part->start, change = STEP * (size_t)(1 + draw(input, MOST_STEPS));
    if (draw(input, 2) && change <= size) {
        remove_bytes(input, part->end - change, change);
        resize_part(input, input->start, input->kind, part, -(int64_t)change);
    } else if (insert_bytes(input, part->end, change)) {
        resize_part(input, input->start, input->kind, part, (int64_t)change);
    }
}

/* Flips one bit of a part. One is enough, because each bit of a packed payload matters. */
static void flip_bit_of_part(struct fuzz_input *input, const struct parts *parts)
{
    const struct part *part = &parts->parts[draw(input, parts->count)];
    flip_bit(input, part->start, part->end);
}

/* Half of the time, changes a part in a way that fits both fat binaries and archives. Returns false
 * if nothing was changed. */
static bool mutate_parts(struct fuzz_input *input, const struct parts *parts)
{
    static void (*const MUTATIONS[])(struct fuzz_input *, const struct parts *) = {
        copy_part, remove_part, change_length, flip_bit_of_part};
    enum { COUNT = sizeof MUTATIONS / sizeof *MUTATIONS, CHOICES = 2 * COUNT };
    size_t chosen = draw(input, CHOICES);
    if (chosen >= COUNT || !parts->count)
        return false;
    MUTATIONS[chosen](input, parts);
    return true;
}

/* ---------------------------------------------------------------------------------------------- */
/* Fat binaries */

static void patch_container_header(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{FATBIN_CONTAINER_MAGIC, 4},
                                          {FATBIN_CONTAINER_VERSION, 2},
                                          {FATBIN_CONTAINER_HEADER_SIZE, 2},
                                          {FATBIN_CONTAINER_CONTENT_SIZE, 8}};
    struct table header = table_at(input, 0, FATBIN_CONTAINER_SIZE, FATBIN_CONTAINER_SIZE);
    PATCH_ANY(input, &header, FIELDS);
}

/* PATCH_ANY needs a table of entries of one size. The entries of a fat binary have different sizes,
 * so the headers of two of them are copied to a table. */
static void patch_entry_header(struct fuzz_input *input, const struct parts *parts)
{
    static const struct field FIELDS[] = {{FATBIN_ENTRY_KIND, 2},
                                          {FATBIN_ENTRY_VERSION, 2},
                                          {FATBIN_ENTRY_HEADER_SIZE, 4},
                                          {FATBIN_ENTRY_PAYLOAD_SIZE, 8},
                                          {FATBIN_ENTRY_PACKED_SIZE, 4},
                                          {FATBIN_ENTRY_OPTIONS, 4},
                                          {FATBIN_ENTRY_MINOR, 2},
                                          {FATBIN_ENTRY_MAJOR, 2},
                                          {FATBIN_ENTRY_SM, 4},
                                          {FATBIN_ENTRY_IDENTIFIER, 4},
                                          {FATBIN_ENTRY_IDENTIFIER_SIZE, 4},
                                          {FATBIN_ENTRY_FLAGS, 8},
                                          {FATBIN_ENTRY_FLAGS, 2},
                                          {FATBIN_ENTRY_UNPACKED_SIZE, 8}};
    uint8_t headers[2 * FATBIN_ENTRY_SIZE];
    uint8_t *changed = input->data + parts->parts[draw(input, parts->count)].header;
    const uint8_t *other = input->data + parts->parts[draw(input, parts->count)].header;
    memcpy(headers, changed, FATBIN_ENTRY_SIZE);
    memcpy(headers + FATBIN_ENTRY_SIZE, other, FATBIN_ENTRY_SIZE);
    struct table table = {headers, FATBIN_ENTRY_SIZE, 2};
    PATCH_ANY(input, &table, FIELDS);
    memcpy(changed, headers, FATBIN_ENTRY_SIZE);
}

/* Inserts a copy of the container after it. */
static void copy_container(struct fuzz_input *input)
{
    size_t end = input->end, size = end - input->start;
    if (insert_bytes(input, end, size))
        memcpy(input->data + end, input->data + input->start, size);
}

void mutate_fat_binary(struct fuzz_input *input)
{
    struct parts parts;
    find_parts(input, &parts);
    if (mutate_parts(input, &parts))
        return;
    switch (draw(input, 8)) {
    case 0:
        patch_container_header(input);
        break;
    case 1:
        copy_container(input);
        break;
    default:
        if (parts.count)
            patch_entry_header(input, &parts);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Archives */

static void write_name(uint8_t *field, const char *name, size_t width)
{
    for (size_t i = 0; i < width; i++)
        field[i] = *name ? (uint8_t)*name++ : ' ';
}

/* Gives a member another name: a reference to the long names, or the name of a table. */
static void rename_member(struct fuzz_input *input, const struct parts *parts)
{
    static const char *const NAMES[] = {"/0", "/",  "//",        "/SYM64/", "#1/20",    "#1/0",
                                        "a/", "/1", "/99999999", "#1/9999", "__.SYMDEF"};
    enum { NAME_WIDTH = 16 };
    uint8_t *header = input->data + parts->parts[draw(input, parts->count)].header;
    const uint8_t *other = input->data + parts->parts[draw(input, parts->count)].header;
    if (draw(input, 2))
        memmove(header, other, NAME_WIDTH);
    else
        write_name(header, NAMES[draw(input, sizeof NAMES / sizeof *NAMES)], NAME_WIDTH);
}

/* Writes a wrong size into the header of a member. */
static void patch_member_size(struct fuzz_input *input, const struct parts *parts)
{
    const struct part *part = &parts->parts[draw(input, parts->count)];
    uint64_t size = part->end - part->start;
    uint64_t changed = draw(input, 2) ? size + draw(input, 5) - 2 : draw(input, 10000000000);
    write_decimal(input->data + part->header + MEMBER_SIZE_AT, MEMBER_SIZE_WIDTH, changed);
}

static void patch_member_header(struct fuzz_input *input, const struct parts *parts)
{
    static const char BYTES[] = " /0123456789`\n#-";
    uint8_t *header = input->data + parts->parts[draw(input, parts->count)].header;
    header[draw(input, MEMBER_HEADER)] = (uint8_t)BYTES[draw(input, sizeof BYTES)];
}

/* Marks a plain archive as thin, so that its members are in other files, or a thin one as plain. */
static void change_archive_magic(struct fuzz_input *input)
{
    uint8_t *magic = input->data + input->start;
    memcpy(magic, magic[2] == 'a' ? "!<thin>\n" : "!<arch>\n", ARCHIVE_MAGIC);
}

void mutate_archive(struct fuzz_input *input)
{
    struct parts parts;
    find_parts(input, &parts);
    if (mutate_parts(input, &parts))
        return;
    uint64_t chosen = draw(input, 8);
    if (!chosen || !parts.count)
        change_archive_magic(input);
    else if (chosen < 4)
        rename_member(input, &parts);
    else if (chosen < 6)
        patch_member_size(input, &parts);
    else
        patch_member_header(input, &parts);
}

/* ---------------------------------------------------------------------------------------------- */
/* Index files of unified tables */

enum { INDEX_VERSION_AT = 8, INDEX_COUNT_AT = 24, INDEX_TABLE_SIZE = 16 };

static struct table index_entries(struct fuzz_input *input)
{
    uint64_t size = chosen_file(input).size;
    uint64_t entries = size < UNIFIED_INDEX_HEADER_SIZE ? 0 : size - UNIFIED_INDEX_HEADER_SIZE;
    return table_at(input, UNIFIED_INDEX_HEADER_SIZE, entries, UNIFIED_INDEX_ENTRY_SIZE);
}

static void patch_index_header(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{INDEX_VERSION_AT, 4}, {12, 4}, {16, 8},
                                          {INDEX_COUNT_AT, 8},   {32, 8}, {40, 8}};
    struct table header = table_at(input, 0, UNIFIED_INDEX_HEADER_SIZE, UNIFIED_INDEX_HEADER_SIZE);
    PATCH_ANY(input, &header, FIELDS);
}

/* Adds an entry to a table, or removes one, and adjusts the number of entries in the header. */
static void change_index_count(struct fuzz_input *input)
{
    struct table entries = index_entries(input);
    size_t count_at = input->start + INDEX_COUNT_AT + INDEX_TABLE_SIZE * (size_t)draw(input, 2);
    if (chosen_file(input).size < UNIFIED_INDEX_HEADER_SIZE)
        return;
    uint64_t count = load_u64(input->data + count_at);
    size_t offset = input->start + UNIFIED_INDEX_HEADER_SIZE +
                    UNIFIED_INDEX_ENTRY_SIZE * (size_t)draw(input, entries.count);
    if (draw(input, 2) && entries.count) {
        remove_bytes(input, offset, UNIFIED_INDEX_ENTRY_SIZE);
        store_u64(input->data + count_at, count - 1);
    } else if (insert_bytes(input, offset, UNIFIED_INDEX_ENTRY_SIZE)) {
        store_u64(input->data + count_at, count + 1);
    }
}

/* Changes the version to 2. Files of version 2 end with additional bytes for each function. */
static void change_index_version(struct fuzz_input *input)
{
    if (chosen_file(input).size < UNIFIED_INDEX_HEADER_SIZE)
        return;
    uint64_t functions = load_u64(input->data + input->start + INDEX_COUNT_AT);
    if (functions < input->size &&
        insert_bytes(input, input->end, (size_t)functions * UNIFIED_INDEX_EXTRA_SIZE))
        store_u32(input->data + input->start + INDEX_VERSION_AT, 2);
}

void mutate_index(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 8}, {8, 8}, {16, 8}};
    struct table entries = index_entries(input);
    switch (draw(input, 8)) {
    case 0:
    case 1:
        patch_index_header(input);
        break;
    case 2:
        change_index_version(input);
        break;
    case 3:
    case 4:
        change_index_count(input);
        break;
    case 5:
        copy_entry(input, &entries);
        break;
    default:
        PATCH_ANY(input, &entries, FIELDS);
    }
}
