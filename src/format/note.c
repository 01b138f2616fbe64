/* Reads and writes notes of device ELFs; see note.h. */
#include "format/note.h"

#include <string.h>

#include "format/elf.h"

enum {
    NOTE_HEADER_SIZE = 12,
    NOTE_PREFIX_SIZE = NOTE_HEADER_SIZE + sizeof NOTE_VENDOR, /* a multiple of 4: no padding */
    CUINFO_CONTENT_SIZE = 8,
    TKINFO_STRINGS = 5,
    TKINFO_WORDS_SIZE = 4 * (1 + TKINFO_STRINGS),
};

static bool take(struct bytes *rest, uint64_t size, struct bytes *part)
{
    if (!bytes_part(*rest, 0, size, part))
        return false;
    /* The padding may be missing at the end of a section. */
    uint64_t padded = align_up(size, 4) < rest->size ? align_up(size, 4) : rest->size;
    rest->data += padded;
    rest->size -= padded;
    return true;
}

bool note_next(struct bytes *rest, struct note *note)
{
    struct bytes header, left = *rest;
    if (!take(&left, NOTE_HEADER_SIZE, &header))
        return false;
    note->type = load_u32(header.data + 8);
    if (!take(&left, load_u32(header.data), &note->name) ||
        !take(&left, load_u32(header.data + 4), &note->content))
        return false;
    *rest = left;
    return true;
}

bool note_is_vendors(const struct note *note)
{
    return note->name.size == sizeof NOTE_VENDOR &&
           !memcmp(note->name.data, NOTE_VENDOR, sizeof NOTE_VENDOR);
}

bool note_read_cuinfo(const struct note *note, struct note_cuinfo *cuinfo)
{
    const uint8_t *content = note->content.data;
    if (note->content.size < CUINFO_CONTENT_SIZE)
        return false;
    cuinfo->version = load_u16(content);
    cuinfo->virtual_sm = load_u16(content + 2);
    cuinfo->toolkit = load_u16(content + 4);
    return true;
}

bool note_read_tkinfo(const struct note *note, struct note_tkinfo *tkinfo)
{
    struct bytes strings;
    const char *text[TKINFO_STRINGS];
    if (!bytes_part(note->content, TKINFO_WORDS_SIZE, note->content.size - TKINFO_WORDS_SIZE,
                    &strings) ||
        load_u32(note->content.data) != NOTE_TKINFO_VERSION)
        return false;
    bool ends_with_nul = strings.size && !strings.data[strings.size - 1]; /* nearly always */
    for (size_t i = 0; i < TKINFO_STRINGS; i++) {
        uint32_t offset = load_u32(note->content.data + 4 * (1 + i));
        if (offset >= strings.size ||
            (!ends_with_nul && !memchr(strings.data + offset, 0, (size_t)(strings.size - offset))))
            return false;
        text[i] = (const char *)strings.data + offset;
    }
    *tkinfo = (struct note_tkinfo){text[0], text[1], text[2], text[3], text[4]};
    return true;
}

uint16_t note_tkinfo_version(const struct note *note)
{
    uint32_t version = note->content.size >= 4 ? load_u32(note->content.data) : 0;
    return (uint16_t)(version < UINT16_MAX ? version : UINT16_MAX);
}

/* ---------------------------------------------------------------------------------------------- */
/* Writing */

static void write_prefix(uint8_t *out, uint32_t content_size, uint32_t type)
{
    store_u32(out, sizeof NOTE_VENDOR);
    store_u32(out + 4, content_size);
    store_u32(out + 8, type);
    memcpy(out + NOTE_HEADER_SIZE, NOTE_VENDOR, sizeof NOTE_VENDOR);
}

uint32_t note_cuinfo_size(void)
{
    return NOTE_PREFIX_SIZE + CUINFO_CONTENT_SIZE;
}

void note_write_cuinfo(uint8_t *out, const struct note_cuinfo *cuinfo)
{
    uint8_t *content = out + NOTE_PREFIX_SIZE;
    write_prefix(out, CUINFO_CONTENT_SIZE, NT_CUINFO);
    store_u16(content, cuinfo->version);
    store_u16(content + 2, cuinfo->virtual_sm);
    store_u16(content + 4, cuinfo->toolkit);
    store_u16(content + 6, 0);
}

static void list_strings(const struct note_tkinfo *tkinfo, const char *strings[TKINFO_STRINGS])
{
    strings[0] = tkinfo->object_name;
    strings[1] = tkinfo->tool_name;
    strings[2] = tkinfo->tool_version;
    strings[3] = tkinfo->tool_build;
    strings[4] = tkinfo->command_line;
}

/* Returns the content length in the header of a tool note. It includes the padding (observed),
 * although the ELF specification excludes padding. */
static uint32_t tkinfo_content_size(const struct note_tkinfo *tkinfo)
{
    const char *strings[TKINFO_STRINGS];
    size_t size = TKINFO_WORDS_SIZE;
    list_strings(tkinfo, strings);
    for (size_t i = 0; i < TKINFO_STRINGS; i++)
        size += strlen(strings[i]) + 1;
    return (uint32_t)align_up(size, 4);
}

uint32_t note_tkinfo_size(const struct note_tkinfo *tkinfo)
{
    return NOTE_PREFIX_SIZE + tkinfo_content_size(tkinfo);
}

/* Writes a tool note. The five strings follow one another. Like nvlink, the function stores each
 * string, even if it is empty or equal to another. */
void note_write_tkinfo(uint8_t *out, const struct note_tkinfo *tkinfo)
{
    const char *strings[TKINFO_STRINGS];
    uint32_t content_size = tkinfo_content_size(tkinfo), offset = 0;
    uint8_t *content = out + NOTE_PREFIX_SIZE, *text = content + TKINFO_WORDS_SIZE;
    list_strings(tkinfo, strings);
    write_prefix(out, content_size, NT_TKINFO);
    memset(content, 0, content_size);
    store_u32(content, NOTE_TKINFO_VERSION);
    for (size_t i = 0; i < TKINFO_STRINGS; i++) {
        uint32_t size = (uint32_t)strlen(strings[i]) + 1;
        store_u32(content + 4 * (1 + i), offset);
        memcpy(text + offset, strings[i], size);
        offset += size;
    }
}
