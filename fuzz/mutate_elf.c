/* Changes fields of device ELFs, overwrites or adds entries of tables, adds sections, and adds or
 * removes whole files of the input.
 *
 * Random changes of bytes nearly always break the section table, and such files are refused at
 * once. So the mutations here patch one field of a header, symbol, relocation, attribute, call
 * graph pair or note, or append a copy of an entry to a table or to the section table. */
#include <string.h>

#include "format/elf.h"
#include "format/section_type.h"
#include "mutation.h"

static bool is_relocation(uint32_t type)
{
    return type == SHT_REL || type == SHT_RELA || type == SHT_MERCURY_RELA;
}

static bool is_attributes(uint32_t type)
{
    return type == SHT_CUDA_INFO || type == SHT_MERCURY_INFO || type == SHT_CUDA_COMPAT;
}

static bool is_pairs(uint32_t type)
{
    return type == SHT_CUDA_CALLGRAPH || type == SHT_MERCURY_CALLGRAPH ||
           type == SHT_CUDA_PROTOTYPE;
}

static bool is_symbols(uint32_t type)
{
    return type == SHT_SYMTAB || type == SHT_MERCURY_SYMTAB;
}

static bool is_note(uint32_t type)
{
    return type == SHT_NOTE;
}

/* The header of a random section of a matching type; NULL if there is none. */
static uint8_t *choose_section(struct fuzz_input *input, bool (*matches)(uint32_t type))
{
    struct table sections = section_table(input);
    uint64_t first = draw(input, sections.count);
    for (uint64_t i = 0; i < sections.count; i++) {
        uint8_t *header = entry_at(&sections, (first + i) % sections.count);
        if (matches(load_u32(header + 4)))
            return header;
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------- */
/* Patching fields */

static void patch_section_header(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 4},  {4, 4},  {8, 8},  {24, 8}, {32, 8},
                                          {40, 4}, {44, 4}, {48, 8}, {56, 8}};
    struct table sections = section_table(input);
    PATCH_ANY(input, &sections, FIELDS);
}

static void patch_symbol(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 4}, {4, 1}, {4, 1}, {5, 1}, {5, 1},
                                          {6, 2}, {6, 2}, {8, 8}, {16, 8}};
    const uint8_t *header = choose_section(input, is_symbols);
    if (!header)
        return;
    struct table symbols = contents_of(input, header, ELF_SYMBOL_SIZE);
    PATCH_ANY(input, &symbols, FIELDS);
}

static void patch_relocation(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 8}, {8, 4}, {8, 4}, {12, 4}, {12, 4}, {16, 8}};
    const uint8_t *header = choose_section(input, is_relocation);
    if (!header)
        return;
    bool has_addends = load_u32(header + 4) != SHT_REL;
    struct table entries = contents_of(input, header, has_addends ? ELF_RELA_SIZE : ELF_REL_SIZE);
    patch_any_field(input, &entries, FIELDS, sizeof FIELDS / sizeof *FIELDS - !has_addends);
}

static void patch_pair(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 4}, {4, 4}};
    const uint8_t *header = choose_section(input, is_pairs);
    if (!header)
        return;
    struct table pairs = contents_of(input, header, ELF_PAIR_SIZE);
    PATCH_ANY(input, &pairs, FIELDS);
}

static void patch_note(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{0, 4}, {0, 2}, {2, 2}};
    const uint8_t *header = choose_section(input, is_note);
    if (!header)
        return;
    struct table words = contents_of(input, header, 4);
    PATCH_ANY(input, &words, FIELDS);
}

/* The offset of the attribute record with that index; the end of the section if it has fewer. */
static uint64_t find_record(const uint8_t *bytes, uint64_t size, uint64_t index)
{
    uint64_t at = 0;
    while (index-- && at + 4 <= size)
        at += 4 + (bytes[at] == 4 ? load_u16(bytes + at + 2) : 0u);
    return at;
}

static void patch_attribute(struct fuzz_input *input)
{
    static const struct field HEAD[] = {{0, 1}, {1, 1}, {1, 1}, {2, 2}};
    static const struct field PAYLOAD[] = {{0, 4}};
    const uint8_t *header = choose_section(input, is_attributes);
    if (!header)
        return;
    struct table all = contents_of(input, header, 1);
    uint64_t at = find_record(all.bytes, all.count, draw(input, 1 + all.count / 8));
    if (at + 4 > all.count)
        return;
    struct table record = {all.bytes + at, 4, 1};
    uint64_t words = all.bytes[at] == 4 ? load_u16(all.bytes + at + 2) / 4u : 0;
    if (words && at + 4 + 4 * words <= all.count && draw(input, 2)) {
        record = (struct table){all.bytes + at + 4, 4, words};
        PATCH_ANY(input, &record, PAYLOAD);
    } else {
        PATCH_ANY(input, &record, HEAD);
    }
}

static void patch_file_header(struct fuzz_input *input)
{
    static const struct field FIELDS[] = {{4, 1},  {7, 1},  {8, 1},  {9, 1},  {9, 1},  {16, 2},
                                          {18, 2}, {32, 8}, {40, 8}, {48, 4}, {49, 1}, {51, 1},
                                          {52, 2}, {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}};
    struct table header = table_at(input, 0, ELF_HEADER_SIZE, ELF_HEADER_SIZE);
    PATCH_ANY(input, &header, FIELDS);
}

/* ---------------------------------------------------------------------------------------------- */
/* Moving and copying entries */

static uint64_t entry_size_of(uint32_t type)
{
    if (is_symbols(type))
        return ELF_SYMBOL_SIZE;
    if (is_pairs(type))
        return ELF_PAIR_SIZE;
    if (is_relocation(type))
        return type == SHT_REL ? ELF_REL_SIZE : ELF_RELA_SIZE;
    return is_attributes(type) ? 4 : 0;
}

static bool has_entries(uint32_t type)
{
    return entry_size_of(type) != 0;
}

static void copy_any_entry(struct fuzz_input *input)
{
    struct table table = section_table(input);
    if (draw(input, 4)) {
        const uint8_t *header = choose_section(input, has_entries);
        if (!header)
            return;
        table = contents_of(input, header, entry_size_of(load_u32(header + 4)));
    }
    copy_entry(input, &table);
}

/* Adds bytes at the end of the chosen file. Returns their offset in it; 0 if they do not fit. */
static uint64_t extend_file(struct fuzz_input *input, uint64_t size)
{
    uint64_t at = align_up(input->end - input->start, 8);
    uint64_t growth = at + size - (input->end - input->start);
    if (input->start) /* other files and parts of containers are aligned, too */
        growth = align_up(growth, 8);
    return insert_bytes(input, input->end, growth) ? at : 0;
}

/* Appends a copy of the whole table to the file, followed by a second copy of one entry. */
static uint64_t grow_table(struct fuzz_input *input, const struct table *table)
{
    uint64_t offset = (uint64_t)(table->bytes - (input->data + input->start));
    uint64_t size = table->count * table->entry_size;
    uint64_t copied = table->count ? draw(input, table->count) * table->entry_size : 0;
    if (!table->count)
        return 0;
    uint64_t at = extend_file(input, size + table->entry_size);
    uint8_t *file = input->data + input->start;
    if (at) {
        memcpy(file + at, file + offset, size);
        memcpy(file + at + size, file + offset + copied, table->entry_size);
    }
    return at;
}

/* Adds an entry to a table. To make space, the section is moved to the end of the file. */
static void grow_section(struct fuzz_input *input)
{
    uint8_t *header = choose_section(input, has_entries);
    if (!header)
        return;
    uint64_t entry_size = entry_size_of(load_u32(header + 4));
    struct table table = contents_of(input, header, entry_size);
    uint64_t header_offset = (uint64_t)(header - input->data);
    uint64_t at = grow_table(input, &table);
    if (!at)
        return;
    store_u64(input->data + header_offset + 24, at);
    store_u64(input->data + header_offset + 32, (table.count + 1) * entry_size);
}

/* Adds a copy of a section; if it has bytes, they are copied, too. */
static void add_section(struct fuzz_input *input)
{
    struct table sections = section_table(input);
    uint64_t at = grow_table(input, &sections);
    if (!at)
        return;
    uint64_t last = at + sections.count * ELF_SECTION_HEADER_SIZE;
    uint8_t *file = input->data + input->start;
    store_u64(file + 40, at);
    store_u16(file + 60, (uint16_t)(sections.count + 1));
    uint64_t offset = load_u64(file + last + 24), size = load_u64(file + last + 32);
    if (!section_type_has_bytes(load_u32(file + last + 4)) ||
        !bytes_contain(chosen_file(input), offset, size))
        return;
    uint64_t copy = extend_file(input, size);
    file = input->data + input->start;
    if (!copy)
        return;
    memcpy(file + copy, file + offset, size);
    store_u64(file + last + 24, copy);
}

/* Appends a copy of the chosen file to the input, or removes the chosen file. */
static void copy_or_drop_file(struct fuzz_input *input)
{
    size_t size = input->end - input->start;
    if (draw(input, 2) && size < input->size) {
        remove_bytes(input, input->start, size);
    } else if (input->max_size - input->size >= size) {
        memcpy(input->data + input->size, input->data + input->start, size);
        input->size += size;
    }
}

/* ---------------------------------------------------------------------------------------------- */

void mutate_elf(struct fuzz_input *input)
{
    static void (*const MUTATIONS[])(struct fuzz_input *) = {
        patch_section_header, patch_section_header, patch_section_header, patch_symbol,
        patch_symbol,         patch_symbol,         patch_relocation,     patch_relocation,
        patch_attribute,      patch_attribute,      patch_pair,           patch_pair,
        patch_note,           patch_file_header,    copy_any_entry,       copy_any_entry,
        grow_section,         grow_section,         add_section,          copy_or_drop_file,
    };
    MUTATIONS[draw(input, sizeof MUTATIONS / sizeof *MUTATIONS)](input);
}
