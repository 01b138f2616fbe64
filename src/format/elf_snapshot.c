/* Writes and opens snapshots of views; see elf_snapshot.h. */
#include "format/elf_snapshot.h"

#include <assert.h>
#include <string.h>

#include "format/elf.h"

/* Offsets of the fields in the header of a snapshot. The fields have 32 bits, except TABLE, which
 * has 64 bits. SYMBOLS is the array of header entries, one for each view's symbol table. */
enum {
    SECTION_COUNT = 0,
    KINDS = 4,
    SECTION_COUNTS = 8, /* number of sections in each view */
    EARLY_COUNT = 16,
    FLAGS = 20,
    VERSION = 24,
    NAMES_SECTION = 28,
    TYPE = 32,
    ABI = 36,
    TABLE = 40, /* offset of a copy of the section table, or 0 */
    SYMBOLS = 48,
    HEADER = SYMBOLS + 2 * 24,
};

/* Offsets of the fields in a header entry, which describes one view's symbol table. */
enum {
    TABLE_SECTION = 0,
    TABLE_STRINGS = 4,
    TABLE_COUNT = 8,
    TABLE_EXTENDED = 12,
    TABLE_SIZE = 24
};

/* Offsets of the fields in a section entry, which describes one section. */
enum {
    ENTRY_DATA = 0, /* offset of the contents in the snapshot, or NO_DATA or ZERO_DATA */
    ENTRY_SIZE = 8,
    ENTRY_NAME = 16, /* offset of the section's name in the string table of section names */
    ENTRY_FLAGS = 20,
    ENTRY_TYPE = 24,
    ENTRY_INFO = 28,
    ENTRY_COUNT = 32,
    ENTRY_VIEW = 36,
    ENTRY_KIND = 37,
    ENTRY_ALIGNMENT = 38,
    ENTRY_BITS = 39,
    ENTRY = 40, /* size of an entry */
};

/* Values of ENTRY_DATA for sections whose contents are not in the snapshot. */
enum {
    NO_DATA = 0,   /* elf_section.data is NULL in the view */
    ZERO_DATA = 1, /* the section is empty, or it is a parameter bank that contains only zeros */
};

static_assert(VIEW_COUNT == 2, "the header has two symbol tables");

/* --------------------------------------------------------------------------------------------- */
/* Making                                                                                        */

static bool has_contents(const struct elf_section *section)
{
    return section->data && section->size && !elf_section_is_unset_bank(section);
}

static uint64_t table_size(const struct elf_view *view)
{
    return (uint64_t)view->section_count * ELF_SECTION_HEADER_SIZE;
}

/* Adds the sizes of all sections' contents to `size`. */
static void add_contents(const struct elf_view *view, struct elf_snapshot_size *size)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (has_contents(section))
            *(elf_snapshot_is_code(section) ? &size->code : &size->facts) +=
                align_up(section->size, 8);
    }
}

static uint8_t bits_of(const struct elf_section *section)
{
    return (uint8_t)(section->is_unmarked | section->has_late_zeros << 1 |
                     section->has_variables << 2 | section->has_descriptors << 3 |
                     section->has_fragments << 4);
}

static void put_section(uint8_t *entry, const struct elf_view *view,
                        const struct elf_section *section)
{
    store_u64(entry + ENTRY_DATA, section->data ? ZERO_DATA : NO_DATA);
    store_u64(entry + ENTRY_SIZE, section->size);
    store_u32(entry + ENTRY_NAME, elf_view_section_header(view, section->index).name);
    store_u32(entry + ENTRY_FLAGS, section->flags);
    store_u32(entry + ENTRY_TYPE, section->type);
    store_u32(entry + ENTRY_INFO, section->info);
    store_u32(entry + ENTRY_COUNT, section->entry_count);
    entry[ENTRY_VIEW] = section->view;
    entry[ENTRY_KIND] = section->kind;
    entry[ENTRY_ALIGNMENT] = section->alignment_bits;
    entry[ENTRY_BITS] = bits_of(section);
}

/* Copies the contents of all code sections (if of_code), or of all other sections, to `out`. `base`
 * is the offset of `out` in the snapshot. Returns the offset after the copied contents. */
static uint64_t put_contents(uint8_t *out, uint64_t base, uint8_t *entries,
                             const struct elf_view *view, bool of_code)
{
    uint64_t end = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!has_contents(section) || elf_snapshot_is_code(section) != of_code)
            continue;
        memcpy(out + end, section->data, (size_t)section->size);
        store_u64(entries + (uint64_t)i * ENTRY + ENTRY_DATA, base + end);
        end += align_up(section->size, 8);
    }
    return base + end;
}

static void put_header(uint8_t *snapshot, const struct elf_view *view)
{
    store_u32(snapshot + SECTION_COUNT, view->section_count);
    store_u32(snapshot + KINDS, view->kinds);
    store_u32(snapshot + EARLY_COUNT, view->early_section_count);
    store_u32(snapshot + FLAGS, view->flags);
    store_u32(snapshot + VERSION, view->version);
    store_u32(snapshot + NAMES_SECTION, view->names_section);
    store_u32(snapshot + TYPE, view->type);
    store_u32(snapshot + ABI, view->abi);
    for (int which = 0; which < VIEW_COUNT; which++) {
        const struct elf_symbol_table *table = &view->symbols[which];
        uint8_t *out = snapshot + SYMBOLS + (size_t)which * TABLE_SIZE;
        store_u32(snapshot + SECTION_COUNTS + (size_t)which * 4, view->section_counts[which]);
        store_u32(out + TABLE_SECTION, table->section);
        if (table->section)
            store_u32(out + TABLE_STRINGS, elf_view_section_header(view, table->section).link);
        store_u32(out + TABLE_COUNT, table->count);
        if (view->extended_indices[which])
            store_u32(out + TABLE_EXTENDED, view->extended_sections[which]);
    }
}

/* Offsets of the areas in the first part of a snapshot; the drawing in elf_snapshot.h shows them.
 */
struct parts {
    uint64_t entries;
    uint64_t table; /* copy of the section table; 0 if there is none */
    uint64_t contents;
};

static struct parts parts_of(const struct elf_view *view)
{
    struct parts parts = {.entries = HEADER + align_up(view->early_section_count * UINT64_C(4), 8)};
    uint64_t end = parts.entries + (uint64_t)view->section_count * ENTRY;
    bool has_table = elf_view_needs_table(view);
    parts.table = has_table ? end : 0;
    parts.contents = end + (has_table ? table_size(view) : 0);
    return parts;
}

struct elf_snapshot_size elf_snapshot_size(const struct elf_view *view)
{
    struct elf_snapshot_size size = {.facts = parts_of(view).contents};
    add_contents(view, &size);
    return size;
}

void elf_snapshot_write(const struct elf_view *view, uint8_t *facts, uint8_t *code)
{
    struct parts parts = parts_of(view);
    uint8_t *entries = facts + parts.entries;
    put_header(facts, view);
    for (uint32_t i = 0; i < view->early_section_count; i++)
        store_u32(facts + HEADER + (uint64_t)i * 4, view->early_sections[i]);
    for (uint32_t i = 1; i < view->section_count; i++)
        put_section(entries + (uint64_t)i * ENTRY, view, &view->sections[i]);
    store_u64(facts + TABLE, parts.table);
    if (parts.table)
        memcpy(facts + parts.table, view->section_table, (size_t)table_size(view));
    uint64_t end = put_contents(facts + parts.contents, parts.contents, entries, view, false);
    put_contents(code, end, entries, view, true);
}

/* --------------------------------------------------------------------------------------------- */
/* Opening                                                                                       */

static void read_header(struct elf_view *view, const uint8_t *snapshot)
{
    *view = (struct elf_view){
        .section_count = load_u32(snapshot + SECTION_COUNT),
        .kinds = load_u32(snapshot + KINDS),
        .early_section_count = load_u32(snapshot + EARLY_COUNT),
        .flags = load_u32(snapshot + FLAGS),
        .version = load_u32(snapshot + VERSION),
        .names_section = load_u32(snapshot + NAMES_SECTION),
        .type = (uint16_t)load_u32(snapshot + TYPE),
        .abi = (uint8_t)load_u32(snapshot + ABI),
    };
    for (int which = 0; which < VIEW_COUNT; which++)
        view->section_counts[which] = load_u32(snapshot + SECTION_COUNTS + (size_t)which * 4);
}

/* The two parts of a snapshot. */
struct snapshot {
    struct bytes facts;
    struct bytes code;
};

static bool find_data(struct elf_section *section, const struct snapshot *snapshot, uint64_t offset)
{
    struct bytes data;
    if (offset == NO_DATA)
        return true;
    section->data = ELF_ZEROS;
    if (offset == ZERO_DATA)
        return section->size <= sizeof ELF_ZEROS;
    bool is_in_code = offset >= snapshot->facts.size;
    if (!bytes_part(is_in_code ? snapshot->code : snapshot->facts,
                    is_in_code ? offset - snapshot->facts.size : offset, section->size, &data))
        return false;
    section->data = data.data;
    return is_in_code == elf_snapshot_is_code(section);
}

static bool read_section(struct elf_section *section, const struct snapshot *snapshot,
                         const uint8_t *entry)
{
    uint8_t bits = entry[ENTRY_BITS];
    section->size = load_u64(entry + ENTRY_SIZE);
    section->flags = load_u32(entry + ENTRY_FLAGS);
    section->type = load_u32(entry + ENTRY_TYPE);
    section->info = load_u32(entry + ENTRY_INFO);
    section->entry_count = load_u32(entry + ENTRY_COUNT);
    section->view = entry[ENTRY_VIEW];
    section->kind = entry[ENTRY_KIND];
    section->alignment_bits = entry[ENTRY_ALIGNMENT];
    section->is_unmarked = bits & 1;
    section->has_late_zeros = bits >> 1 & 1;
    section->has_variables = bits >> 2 & 1;
    section->has_descriptors = bits >> 3 & 1;
    section->has_fragments = bits >> 4 & 1;
    return find_data(section, snapshot, load_u64(entry + ENTRY_DATA));
}

/* Reads all section entries. Returns false if a section's contents or name are not inside the
 * snapshot. */
static bool read_sections(struct elf_view *view, const struct snapshot *snapshot,
                          const uint8_t *entries)
{
    for (uint32_t i = 1; i < view->section_count; i++) {
        view->sections[i].index = i;
        if (!read_section(&view->sections[i], snapshot, entries + (uint64_t)i * ENTRY))
            return false;
    }
    const struct elf_section *names = &view->sections[view->names_section];
    for (uint32_t i = 1; i < view->section_count; i++) {
        uint32_t name = load_u32(entries + (uint64_t)i * ENTRY + ENTRY_NAME);
        if (name >= names->size)
            return false;
        view->sections[i].name = (const char *)names->data + name;
    }
    return true;
}

/* Reads the symbol table of one view. Returns false if the table refers to a section that does not
 * exist, or if its section is too small for the number of symbols. */
static bool read_table(struct elf_view *view, enum code_view which, const uint8_t *snapshot)
{
    const uint8_t *in = snapshot + SYMBOLS + (size_t)which * TABLE_SIZE;
    struct elf_symbol_table *table = &view->symbols[which];
    uint32_t strings = load_u32(in + TABLE_STRINGS), extended = load_u32(in + TABLE_EXTENDED);
    table->section = load_u32(in + TABLE_SECTION);
    table->count = load_u32(in + TABLE_COUNT);
    if (!table->section)
        return true;
    if (table->section >= view->section_count || strings >= view->section_count ||
        extended >= view->section_count ||
        view->sections[table->section].size / ELF_SYMBOL_SIZE < table->count)
        return false;
    table->entries = view->sections[table->section].data;
    table->strings = (const char *)view->sections[strings].data;
    table->strings_size = view->sections[strings].size;
    if (extended)
        view->extended_indices[which] = view->sections[extended].data;
    view->extended_sections[which] = extended;
    return true;
}

static bool read_early_sections(struct elf_view *view, const uint8_t *early, struct arena *arena)
{
    view->early_sections = ARENA_ARRAY(arena, uint32_t, view->early_section_count);
    for (uint32_t i = 0; i < view->early_section_count; i++) {
        view->early_sections[i] = load_u32(early + (uint64_t)i * 4);
        if (view->early_sections[i] >= view->section_count)
            return false;
    }
    return true;
}

bool elf_snapshot_open(struct elf_view *view, struct bytes facts, struct bytes code,
                       struct arena *arena)
{
    const struct snapshot snapshot = {facts, code};
    struct bytes early, entries, table;
    if (facts.size < HEADER)
        return false;
    read_header(view, facts.data);
    uint64_t early_size = align_up(view->early_section_count * UINT64_C(4), 8);
    uint64_t table_offset = load_u64(facts.data + TABLE);
    if (!bytes_part(facts, HEADER, early_size, &early) ||
        !bytes_part(facts, HEADER + early_size, (uint64_t)view->section_count * ENTRY, &entries) ||
        !bytes_part(facts, table_offset, table_offset ? table_size(view) : 0, &table) ||
        view->names_section >= view->section_count)
        return false;
    if (table_offset)
        view->section_table = table.data;
    view->sections = ARENA_ARRAY(arena, struct elf_section, view->section_count);
    return read_sections(view, &snapshot, entries.data) &&
           read_table(view, VIEW_NATIVE, facts.data) &&
           read_table(view, VIEW_MERCURY, facts.data) &&
           read_early_sections(view, early.data, arena);
}
