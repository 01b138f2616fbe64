/* Reads DWARF; see dwarf.h. */
#include "tool/debug/dwarf.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"

enum dwarf_attribute {
    DW_AT_NAME = 0x03,
    DW_AT_TYPE = 0x49,
    DW_AT_LINKAGE_NAME = 0x6e,
    DW_AT_MIPS_LINKAGE_NAME = 0x2007,
};

enum dwarf_form {
    DW_FORM_ADDR = 0x01,
    DW_FORM_BLOCK2 = 0x03,
    DW_FORM_BLOCK4,
    DW_FORM_DATA2,
    DW_FORM_DATA4,
    DW_FORM_DATA8,
    DW_FORM_STRING,
    DW_FORM_BLOCK,
    DW_FORM_BLOCK1,
    DW_FORM_DATA1,
    DW_FORM_FLAG,
    DW_FORM_SDATA,
    DW_FORM_STRP,
    DW_FORM_UDATA,
    DW_FORM_REF_ADDR,
    DW_FORM_REF1,
    DW_FORM_REF2,
    DW_FORM_REF4,
    DW_FORM_REF8,
    DW_FORM_REF_UDATA,
    DW_FORM_SEC_OFFSET = 0x17,
    DW_FORM_EXPRLOC,
    DW_FORM_FLAG_PRESENT,
    DW_FORM_REF_SIG8 = 0x20,
};

/* ---------------------------------------------------------------------------------------------- */
/* A position in bytes                                                                            */

struct cursor {
    struct bytes bytes;
    uint64_t at;
    bool has_failed;
};

static uint64_t read_number(struct cursor *cursor, unsigned size)
{
    if (cursor->has_failed || !bytes_contain(cursor->bytes, cursor->at, size)) {
        cursor->has_failed = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | cursor->bytes.data[cursor->at + i];
    cursor->at += size;
    return value;
}

static void skip(struct cursor *cursor, uint64_t size)
{
    if (!bytes_contain(cursor->bytes, cursor->at, size))
        cursor->has_failed = true;
    else
        cursor->at += size;
}

/* Reads a LEB128 number. Reading fails if the number has more than ten bytes, which is enough for
 * 64 bits. The sign of signed numbers is lost: no caller needs it. */
static uint64_t read_leb(struct cursor *cursor)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        cursor->has_failed |= shift > 63;
        byte = read_number(cursor, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !cursor->has_failed);
    return value;
}

/* Reads a string and its NUL. */
static const char *read_string(struct cursor *cursor)
{
    uint64_t rest = cursor->has_failed ? 0 : cursor->bytes.size - cursor->at;
    const char *text = rest ? (const char *)cursor->bytes.data + cursor->at : NULL;
    const char *end = rest ? memchr(text, 0, (size_t)rest) : NULL;
    if (!end) {
        cursor->has_failed = true;
        return NULL;
    }
    cursor->at += (uint64_t)(end - text) + 1;
    return text;
}

static const char *string_at(const struct dwarf *dwarf, uint64_t at)
{
    return at < dwarf->strings.size ? (const char *)dwarf->strings.data + at : NULL;
}

void dwarf_init(struct dwarf *dwarf, struct bytes info, struct bytes abbreviations,
                struct bytes strings)
{
    enum { READS_OF_BYTE = 64, LEAST = 1 << 20 };
    while (strings.size && strings.data[strings.size - 1])
        strings.size--;
    *dwarf = (struct dwarf){.info = info,
                            .abbreviations = abbreviations,
                            .strings = strings,
                            .bytes_left = LEAST + READS_OF_BYTE * (info.size + strings.size)};
}

bool dwarf_afford(struct dwarf *dwarf, uint64_t size)
{
    bool is_enough = size <= dwarf->bytes_left;
    dwarf->bytes_left -= is_enough ? size : dwarf->bytes_left;
    return is_enough;
}

/* ---------------------------------------------------------------------------------------------- */
/* Abbreviations                                                                                  */

struct attribute_form {
    uint32_t attribute;
    uint32_t form;
};

struct abbreviation {
    uint32_t tag;
    bool has_children;
    uint32_t first_form; /* index in `forms` of struct dwarf_abbreviations */
    uint32_t form_count;
};

/* A list of abbreviations, in the order of their codes. Compilers use the codes 1, 2, 3 and so on,
 * so reading ends at an abbreviation with any other code. */
struct dwarf_abbreviations {
    GROWING_ARRAY(struct abbreviation, all);
    GROWING_ARRAY(struct attribute_form, forms);
};

static bool read_abbreviation(struct dwarf_abbreviations *list, struct dwarf *dwarf,
                              struct cursor *cursor, struct arena *arena)
{
    /* The limit bounds the time to read one entry of a damaged file: an abbreviation can have any
     * number of forms that take no bytes in the entry. */
    enum { MOST_FORMS = 64 };
    struct abbreviation *abbreviation = ARENA_APPEND(arena, list, all);
    abbreviation->tag = (uint32_t)read_leb(cursor);
    abbreviation->has_children = read_number(cursor, 1);
    abbreviation->first_form = list->forms_count;
    while (abbreviation->form_count < MOST_FORMS &&
           dwarf->forms_read++ <= dwarf->abbreviations.size) {
        uint32_t attribute = (uint32_t)read_leb(cursor), form = (uint32_t)read_leb(cursor);
        if (cursor->has_failed)
            return false;
        if (!attribute && !form)
            return true;
        *ARENA_APPEND(arena, list, forms) = (struct attribute_form){attribute, form};
        abbreviation->form_count++;
    }
    return false;
}

static struct dwarf_abbreviations *read_abbreviations(struct dwarf *dwarf, uint64_t offset,
                                                      struct arena *arena)
{
    struct cursor cursor = {.bytes = dwarf->abbreviations, .at = offset};
    if (dwarf->newest && dwarf->newest_offset == offset)
        return dwarf->newest;
    struct dwarf_abbreviations *list = arena_alloc(arena, sizeof *list);
    *list = (struct dwarf_abbreviations){.all = NULL};
    for (uint64_t expected = 1;; expected++) {
        uint64_t code = read_leb(&cursor);
        if (!code || code != expected || !read_abbreviation(list, dwarf, &cursor, arena))
            break;
    }
    dwarf->newest = list;
    dwarf->newest_offset = offset;
    return list;
}

/* ---------------------------------------------------------------------------------------------- */
/* Entries                                                                                        */

/* Returns the size of a number of this form; 0 if the form is not a number of a fixed size. */
static unsigned number_size(uint32_t form)
{
    switch (form) {
    case DW_FORM_DATA1:
    case DW_FORM_FLAG:
    case DW_FORM_REF1:
        return 1;
    case DW_FORM_DATA2:
    case DW_FORM_REF2:
        return 2;
    case DW_FORM_DATA4:
    case DW_FORM_SEC_OFFSET:
    case DW_FORM_REF_ADDR:
    case DW_FORM_REF4:
        return 4;
    case DW_FORM_ADDR:
    case DW_FORM_DATA8:
    case DW_FORM_REF8:
    case DW_FORM_REF_SIG8:
        return 8;
    default:
        return 0;
    }
}

static bool is_reference_in_unit(uint32_t form)
{
    return form >= DW_FORM_REF1 && form <= DW_FORM_REF_UDATA;
}

/* Returns the size of a block, so that the caller can skip it. Reading fails at an unknown form. */
static uint64_t block_size(struct cursor *cursor, uint32_t form)
{
    switch (form) {
    case DW_FORM_BLOCK1:
        return read_number(cursor, 1);
    case DW_FORM_BLOCK2:
        return read_number(cursor, 2);
    case DW_FORM_BLOCK4:
        return read_number(cursor, 4);
    case DW_FORM_BLOCK:
    case DW_FORM_EXPRLOC:
        return read_leb(cursor);
    case DW_FORM_FLAG_PRESENT:
        return 0;
    default:
        cursor->has_failed = true;
        return 0;
    }
}

/* Reads the value of an attribute. Returns a number; for a reference, the offset in .debug_info.
 * Sets *text if the value is a string. */
static uint64_t read_value(const struct dwarf_unit *unit, struct cursor *cursor, uint32_t form,
                           const char **text)
{
    unsigned size = number_size(form);
    uint64_t base = is_reference_in_unit(form) ? unit->start : 0;
    if (size)
        return base + read_number(cursor, size);
    switch (form) {
    case DW_FORM_SDATA:
    case DW_FORM_UDATA:
    case DW_FORM_REF_UDATA:
        return base + read_leb(cursor);
    case DW_FORM_STRING:
        *text = read_string(cursor);
        return 0;
    case DW_FORM_STRP:
        *text = string_at(unit->dwarf, read_number(cursor, 4));
        return 0;
    default:
        skip(cursor, block_size(cursor, form));
        return 0;
    }
}

static void take_attribute(struct dwarf_entry *entry, uint32_t attribute, uint64_t number,
                           const char *text)
{
    if (attribute == DW_AT_NAME)
        entry->name = text;
    else if (attribute == DW_AT_TYPE)
        entry->type = number;
    else if (attribute == DW_AT_LINKAGE_NAME || attribute == DW_AT_MIPS_LINKAGE_NAME)
        entry->linkage_name = text;
}

bool dwarf_entry_read(const struct dwarf_unit *unit, uint64_t at, struct dwarf_entry *entry,
                      uint64_t *next)
{
    struct cursor cursor = {.bytes = {unit->dwarf->info.data, unit->end}, .at = at};
    const struct dwarf_abbreviations *list = unit->abbreviations;
    *entry = (struct dwarf_entry){.offset = at};
    if (at < unit->first || at >= unit->end)
        return false;
    uint64_t code = read_leb(&cursor);
    if (cursor.has_failed || code > list->all_count)
        return false;
    *next = cursor.at;
    if (!code)
        return true;
    const struct abbreviation *abbreviation = &list->all[code - 1];
    entry->tag = abbreviation->tag;
    entry->has_children = abbreviation->has_children;
    for (uint32_t i = 0; i < abbreviation->form_count; i++) {
        const struct attribute_form *form = &list->forms[abbreviation->first_form + i];
        const char *text = NULL;
        uint64_t number = read_value(unit, &cursor, form->form, &text);
        take_attribute(entry, form->attribute, number, text);
    }
    *next = cursor.at;
    return !cursor.has_failed && entry->tag && dwarf_afford(unit->dwarf, cursor.at - at);
}

bool dwarf_unit_read(struct dwarf_unit *unit, struct dwarf *dwarf, uint64_t at, struct arena *arena)
{
    enum { LENGTH_SIZE = 4, FIRST_VERSION = 2, LAST_VERSION = 4, ADDRESS_SIZE = 8 };
    struct cursor cursor = {.bytes = dwarf->info, .at = at};
    uint64_t length = read_number(&cursor, LENGTH_SIZE);
    uint64_t version = read_number(&cursor, 2), abbreviations = read_number(&cursor, 4);
    uint64_t address_size = read_number(&cursor, 1);
    if (cursor.has_failed || length > dwarf->info.size - at - LENGTH_SIZE ||
        version < FIRST_VERSION || version > LAST_VERSION || address_size != ADDRESS_SIZE)
        return false;
    *unit = (struct dwarf_unit){.dwarf = dwarf,
                                .start = at,
                                .end = at + LENGTH_SIZE + length,
                                .first = cursor.at,
                                .abbreviations = read_abbreviations(dwarf, abbreviations, arena)};
    return unit->first <= unit->end;
}
