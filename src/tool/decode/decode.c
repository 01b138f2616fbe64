/* Decodes the entries of a section into rows; see decode.h. */
#include "tool/decode/decode.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/mercury_header.h"
#include "format/relocation.h"
#include "format/section_type.h"

static const char *relocation_name(struct arena *arena, uint32_t number)
{
    const struct relocation_type *type = relocation_type_find(number);
    return type ? type->name : arena_format(arena, "0x%" PRIx32, number);
}

static void decode_relocations(const struct subject *subject, const struct elf_section *section,
                               struct listing *listing)
{
    listing->layout = LAYOUT_TABLE;
    bool addends = elf_section_has_addends(section);
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_relocation relocation = elf_section_relocation(section, i);
        listing_add_row(listing, 1);
        put_hex(listing, "offset", relocation.offset);
        put_text(listing, "type", relocation_name(listing->arena, relocation.type));
        if (addends)
            put_signed(listing, "addend", relocation.addend);
        put_text(listing, "symbol", symbol_label(subject, section->view, relocation.symbol));
    }
}

static const char *string_at(const struct subject *subject, enum code_view which, int32_t offset)
{
    const char *string =
        offset < 0 ? NULL : elf_view_string(&subject->view, which, (uint32_t)offset);
    return string ? string : "(bad string)";
}

static const char *callgraph_group(int32_t heading)
{
    switch (heading) {
    case CALLGRAPH_CALLS:
        return "calls";
    case CALLGRAPH_ADDRESS_TAKEN:
        return "address taken, by prototype";
    case CALLGRAPH_INDIRECT_CALLERS:
        return "calls indirectly, by prototype";
    case CALLGRAPH_TAKES_ADDRESS:
        return "takes the address of";
    default:
        return "(no group)";
    }
}

/* Decodes .nv.callgraph. Its entries form four groups, and each group begins with a heading. Each
 * row names its group. A heading becomes a row without a function, so empty groups are shown,
 * too. */
static void decode_callgraph(const struct subject *subject, const struct elf_section *section,
                             struct listing *listing)
{
    listing->layout = LAYOUT_GROUPS;
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        bool is_heading = pair.first == 0 && pair.second < 0;
        if (is_heading)
            heading = pair.second;
        listing_add_row(listing, is_heading ? 1 : 3);
        put_text(listing, "group", callgraph_group(heading));
        if (is_heading)
            continue;
        put_text(listing, "function", symbol_label(subject, section->view, pair.first));
        if (heading == CALLGRAPH_ADDRESS_TAKEN || heading == CALLGRAPH_INDIRECT_CALLERS)
            put_text(listing, "prototype", string_at(subject, section->view, pair.second));
        else
            put_text(listing, "target",
                     symbol_label(subject, section->view, (uint32_t)pair.second));
    }
}

static void decode_prototypes(const struct subject *subject, const struct elf_section *section,
                              struct listing *listing)
{
    listing->layout = LAYOUT_TABLE;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        listing_add_row(listing, 1);
        put_text(listing, "function", symbol_label(subject, section->view, pair.first));
        put_text(listing, "prototype", string_at(subject, section->view, pair.second));
    }
}

/* Decodes the records of unified functions or variables. A record has 32 bytes: symbol, flags,
 * offset in the unified table, 128-bit identifier. */
static void decode_unified_entries(const struct subject *subject, const struct elf_section *section,
                                   struct listing *listing)
{
    struct bytes bytes = section_bytes(section);
    listing->layout = LAYOUT_TABLE;
    for (uint64_t at = 0; bytes_contain(bytes, at, ELF_UNIFIED_ENTRY_SIZE);
         at += ELF_UNIFIED_ENTRY_SIZE) {
        const uint8_t *entry = bytes.data + at;
        listing_add_row(listing, 1);
        put_text(listing, "symbol", symbol_label(subject, section->view, load_u32(entry)));
        put_hex(listing, "flags", load_u32(entry + 4));
        put_hex(listing, "offset", load_u64(entry + 8));
        put_hex(listing, "id_low", load_u64(entry + 16));
        put_hex(listing, "id_high", load_u64(entry + 24));
    }
}

enum { ACTION_SIZE = 16 };

/* Decodes .nv.rel.action. Each entry has a relocation type and two triples (first bit of the value,
 * width, first bit of the field). nvlink 13.0.88 writes this section with one entry only, for type
 * 0x73. The layout was found by comparing this entry with the fields of type 0x73, which are known
 * from experiments. */
static void decode_relocation_actions(const struct elf_section *section, struct listing *listing)
{
    enum { FIELDS_OFFSET = 10, FIELD_SIZE = 3, FIELD_COUNT = 2 };
    struct bytes bytes = section_bytes(section);
    listing->layout = LAYOUT_TABLE;
    for (uint64_t at = 0; bytes_contain(bytes, at, ACTION_SIZE); at += ACTION_SIZE) {
        const uint8_t *action = bytes.data + at;
        const char **fields = ARENA_ARRAY(listing->arena, const char *, FIELD_COUNT);
        for (size_t i = 0; i < FIELD_COUNT; i++) {
            const uint8_t *field = action + FIELDS_OFFSET + FIELD_SIZE * i;
            fields[i] = arena_format(listing->arena, "%u@%u<-%u", field[1], field[2], field[0]);
        }
        listing_add_row(listing, 1);
        put_text(listing, "type", relocation_name(listing->arena, load_u32(action)));
        put_names(listing, "fields", fields, FIELD_COUNT);
        put_bytes(listing, "unknown", (struct bytes){action + 4, FIELDS_OFFSET - 4});
    }
}

static void decode_mercury_code(const struct subject *subject, const struct elf_section *section,
                                struct listing *listing)
{
    listing->layout = LAYOUT_PROPERTIES;
    struct mercury_header header;
    if (!mercury_header_read(section_bytes(section), &header))
        return;
    listing_add_row(listing, 0);
    put_text(listing, "native_code", section_label(subject, header.native_section));
    put_hex(listing, "header", header.form);
    put_number(listing, "items", header.item_count);
}

/* Adds a row for each symbol whose section index does not fit into the symbol (SHN_XINDEX). */
static void decode_extended_indices(const struct subject *subject,
                                    const struct elf_section *section, struct listing *listing)
{
    struct bytes bytes = section_bytes(section);
    listing->layout = LAYOUT_TABLE;
    enum { INDEX_AT = 6 };
    const struct elf_symbol_table *table = &subject->view.symbols[section->view];
    for (uint32_t i = 0; i < section->entry_count && i < table->count; i++) {
        uint32_t index = load_u32(bytes.data + 4 * (uint64_t)i);
        if (load_u16(table->entries + (uint64_t)i * ELF_SYMBOL_SIZE + INDEX_AT) != SHN_XINDEX)
            continue;
        listing_add_row(listing, 1);
        put_text(listing, "symbol", symbol_label(subject, section->view, i));
        put_number(listing, "section_index", index);
    }
}

bool decode_section(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing)
{
    switch (section->type) {
    case SHT_SYMTAB:
    case SHT_MERCURY_SYMTAB:
        decode_symbols(subject, section, detail, listing);
        return true;
    case SHT_SYMTAB_SHNDX:
        decode_extended_indices(subject, section, listing);
        return true;
    case SHT_NOTE:
        decode_notes(section, listing);
        return true;
    case SHT_CUDA_INFO:
    case SHT_MERCURY_INFO:
        decode_info(subject, section, listing);
        return true;
    case SHT_CUDA_COMPAT:
        decode_compat(section, listing);
        return true;
    case SHT_CUDA_CALLGRAPH:
    case SHT_MERCURY_CALLGRAPH:
        decode_callgraph(subject, section, listing);
        return true;
    case SHT_CUDA_PROTOTYPE:
    case SHT_MERCURY_PROTOTYPE:
        decode_prototypes(subject, section, listing);
        return true;
    case SHT_CUDA_UFT_ENTRY:
    case SHT_CUDA_UDT_ENTRY:
        decode_unified_entries(subject, section, listing);
        return true;
    case SHT_CUDA_RELOCATION_ACTION:
        decode_relocation_actions(section, listing);
        return true;
    case SHT_MERCURY_CODE:
        decode_mercury_code(subject, section, listing);
        return true;
    default:
        if (!elf_section_is_relocation(section))
            return false;
        decode_relocations(subject, section, listing);
        return true;
    }
}

static bool is_decoded_whole(const struct elf_section *section)
{
    switch (section->type) {
    case SHT_SYMTAB:
    case SHT_MERCURY_SYMTAB:
    case SHT_STRTAB:
    case SHT_SYMTAB_SHNDX:
    case SHT_NOTE:
    case SHT_CUDA_INFO:
    case SHT_MERCURY_INFO:
    case SHT_CUDA_COMPAT:
    case SHT_CUDA_CALLGRAPH:
    case SHT_MERCURY_CALLGRAPH:
    case SHT_CUDA_PROTOTYPE:
    case SHT_MERCURY_PROTOTYPE:
        return true;
    default:
        return elf_section_is_relocation(section);
    }
}

struct bytes undecoded_bytes(const struct elf_section *section)
{
    struct bytes bytes = section_bytes(section);
    struct mercury_header mercury;
    uint64_t decoded = 0;
    if (is_decoded_whole(section))
        decoded = bytes.size;
    else if (section->type == SHT_MERCURY_CODE && mercury_header_read(bytes, &mercury))
        decoded = mercury.size;
    else if (section->type == SHT_CUDA_UFT_ENTRY || section->type == SHT_CUDA_UDT_ENTRY)
        decoded = bytes.size / ELF_UNIFIED_ENTRY_SIZE * ELF_UNIFIED_ENTRY_SIZE;
    else if (section->type == SHT_CUDA_RELOCATION_ACTION)
        decoded = bytes.size / ACTION_SIZE * ACTION_SIZE;
    return (struct bytes){bytes.data ? bytes.data + decoded : NULL, bytes.size - decoded};
}

void decode_strings(const struct elf_section *section, struct listing *listing)
{
    struct bytes bytes = section_bytes(section);
    listing->layout = LAYOUT_LINES;
    for (uint64_t at = 0; at < bytes.size;) {
        const char *string = (const char *)bytes.data + at;
        listing_add_row(listing, 1);
        put_text(listing, "string", string);
        at += strlen(string) + 1;
    }
}

void decode_bytes(struct bytes bytes, struct listing *listing)
{
    enum { LINE = 16 };
    listing->layout = LAYOUT_LINES;
    for (uint64_t at = 0; at < bytes.size; at += LINE) {
        uint64_t size = bytes.size - at < LINE ? bytes.size - at : LINE;
        listing_add_row(listing, 1);
        put_text(listing, "offset", arena_format(listing->arena, "%06" PRIx64, at));
        put_bytes(listing, "bytes", (struct bytes){bytes.data + at, size});
    }
}
