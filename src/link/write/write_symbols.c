/* Writes the symbol tables.
 *
 * Part of pass_write_output. The contents of an entry depend on the kind of output and on the view.
 * A relocatable output keeps what a final link needs. Each view has its own sizes of code and
 * offsets in shared memory. */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "link/write/write.h"
#include "link/write/write_output.h"

struct symbol_writer {
    enum code_view view;
    bool has_mercury;   /* the file has both views */
    bool is_late;       /* all entries written now are late, see needs_long_index */
    bool sizes_aliases; /* the first symbol of a code section has the size of the section, even if
                           the symbol is an alias, see native_size */
    bool merges_names;  /* compiler-made constants have one name in both views */
    uint64_t shared_reserved;   /* subtracted from Mercury values, see mercury_shift */
    uint64_t shared_unreserved; /* added to native values, see shared_unreserved() */
    uint32_t first;             /* the symbol index of the first entry in `entries` */
    uint8_t *entries;           /* .symtab; NULL if it is in another window */
    uint8_t *indices;           /* .symtab_shndx, or NULL */
};

/* Whether the section index of a symbol is written to .symtab_shndx, because st_shndx cannot hold
 * it. Like nvlink, warpld writes one index to st_shndx although it is reserved: 0xff00 in late
 * entries, 0xfff2 in all others. These entries are late (observed with 69,012 native sections, and
 * with 90,025 and 112,545 sections in two views):
 *
 *   - all entries of the Mercury table
 *   - the entries of the parameter banks at the end of the native sections
 *   - all entries of the native table, if .symtab_shndx follows the NOBITS sections (RANK_INDICES)
 */
static bool needs_long_index(const struct symbol_writer *writer, uint32_t section)
{
    return writer->is_late ? section > SHN_LORESERVE
                           : section >= SHN_LORESERVE && section != SHN_COMMON;
}

static uint8_t *entry_of(const struct symbol_writer *writer, uint32_t index)
{
    return writer->entries + (uint64_t)(index - writer->first) * ELF_SYMBOL_SIZE;
}

static void write_symbol(const struct symbol_writer *writer, uint32_t index, uint32_t name,
                         uint8_t info, uint8_t other, const struct output_section *section,
                         uint64_t value, uint64_t size)
{
    section = section_in_view(section, writer->view);
    uint32_t section_index = section ? section->index : SHN_UNDEF;
    bool is_long = needs_long_index(writer, section_index);
    if (writer->entries) {
        uint8_t *entry = entry_of(writer, index);
        store_u32(entry, name);
        entry[4] = info;
        entry[5] = other;
        store_u16(entry + 6, (uint16_t)(is_long ? SHN_XINDEX : section_index));
        store_u64(entry + 8, value);
        store_u64(entry + 16, size);
    }
    /* .symtab_shndx has a word for every symbol. If the section index fits in st_shndx, readers
     * ignore the word. nvlink then writes the section's number in the order of creation, or 0 in a
     * late entry (observed as in needs_long_index; docs/mercury.md has the exceptions). */
    uint32_t ignored = section && !writer->is_late ? section->creation : 0;
    if (writer->indices && section)
        store_u32(writer->indices + (uint64_t)index * 4, is_long ? section_index : ignored);
}

/* Returns the st_other of a symbol in the output. Hidden visibility is removed, because a symbol
 * that is hidden from other objects is not hidden from the driver (observed in both views, with
 * each symbol of 25 objects). `dropped`: bits that do not exist in the view. */
static uint8_t output_other(const struct symbol *symbol, uint8_t dropped)
{
    uint8_t other = symbol->other & (uint8_t)~dropped;
    return (other & STO_VISIBILITY) == STV_HIDDEN ? other & (uint8_t)~STO_VISIBILITY : other;
}

/* Sets the size and value that a symbol of code has in the Mercury view. The size is that of the
 * expanded code. The value is changed only for a function inside the code section of a kernel
 * (whole programs have such functions): it becomes the function's offset in the expanded code. */
static void expand(const struct symbol *symbol, const struct output_section *section,
                   uint64_t *value, uint64_t *size)
{
    if (!symbol_is_function(symbol) || !section || !symbol->defined)
        return;
    struct elf_symbol expanded =
        elf_view_symbol(&symbol->object->elf, VIEW_MERCURY, symbol->input_index);
    *size = expanded.size;
    if (!symbol->function)
        *value = expanded.value;
}

/* Whether a symbol has the CUDA object type in the output. From sm_100 on, the linker's own symbols
 * of the reserved shared memory have it. */
static bool keeps_cuda_type(const struct symbol_writer *writer, const struct symbol *symbol)
{
    return (writer->has_mercury || writer->view == VIEW_MERCURY) && symbol->linker_made;
}

/* Returns the section of a symbol. For an alias, it is the section of the function whose code the
 * alias shares. */
static const struct output_section *section_of(const struct symbol *symbol)
{
    const struct function *function = symbol->function;
    return function && function->alias_of ? function->alias_of->text : symbol->section;
}

/* Returns the size of a symbol. An alias may be of a copy that was superseded by a smaller one, so
 * its size is limited to the size of the section. */
static uint64_t size_within(const struct symbol *symbol, const struct output_section *section)
{
    return symbol->function && section && symbol->size > section->size ? section->size
                                                                       : symbol->size;
}

/* Writes a symbol of a relocatable output. The fields that a final link needs have the values of
 * the inputs. */
static void write_relocatable_symbol(const struct symbol_writer *writer,
                                     const struct symbol *symbol)
{
    const struct output_section *section = section_of(symbol);
    uint8_t binding = symbol->linker_made ? STB_GLOBAL : symbol->binding;
    uint8_t type = keeps_cuda_type(writer, symbol) ? STT_CUDA_OBJECT : symbol->type;
    bool is_mercury = writer->view == VIEW_MERCURY;
    bool has_value = !symbol->function && !(is_mercury && symbol->linker_made);
    uint64_t size = size_within(symbol, section);
    uint64_t value = has_value ? symbol->value : 0;
    if (is_mercury)
        expand(symbol, section, &value, &size);
    write_symbol(writer, symbol->output_index, symbol->name->name.offset,
                 (uint8_t)(binding << 4 | type), symbol->other, section, value, size);
    if (symbol->common && writer->entries) {
        uint8_t *entry = entry_of(writer, symbol->output_index);
        store_u16(entry + 6, SHN_COMMON);
        store_u64(entry + 8, symbol_rare(symbol)->common_alignment);
    }
}

/* Returns the size of a function or alias in the native view. If several symbols are names of the
 * same code, nvlink treats the first as the function itself. So an alias that comes first has the
 * size of the code section (observed). */
static uint64_t native_size(const struct function *function, uint64_t size)
{
    if (function->is_stub)
        return size; /* see unified_mercury.c */
    struct output_section *text = function->alias_of ? function->alias_of->text : function->text;
    bool is_first = !text->has_first_name;
    text->has_first_name = true;
    return function->alias_of && is_first ? text->size : size;
}

/* Returns the number that is subtracted from the value of a symbol in shared memory to get its
 * Mercury value. Only native values include the bytes that the system reserves. With
 * --disable-smem-reservation they include these bytes, too, although the addresses of the kernel's
 * variables are 0x400 bytes lower (observed with -g --disable-smem-reservation=true). */
static uint64_t mercury_shift(const struct symbol_writer *writer, const struct symbol *symbol)
{
    if (symbol->section && output_rare(symbol->section)->reserved_count)
        return MERCURY_RESERVED_PART;
    return symbol->shared && symbol->value >= writer->shared_reserved ? writer->shared_reserved : 0;
}

/* Writes a symbol of the Mercury view. A function has the size of its expanded code, and the
 * linker's own symbols have the value 0. */
static void write_mercury_symbol(const struct symbol_writer *writer, const struct symbol *symbol,
                                 const struct output_section *section, uint8_t binding,
                                 uint8_t type, uint64_t value, uint64_t size)
{
    expand(symbol, section, &value, &size);
    if (symbol->function && symbol->function->is_stub)
        value = unified_slot_offset(symbol);
    bool plain = symbol->linker_made || (symbol->is_texture && !symbol->section);
    if (!symbol->function && type == STT_OBJECT)
        type = STT_CUDA_OBJECT;
    write_symbol(writer, symbol->output_index, symbol->name->name.offset,
                 (uint8_t)(binding << 4 | type), plain ? 0 : output_other(symbol, 0), section,
                 symbol->linker_made ? 0 : value - mercury_shift(writer, symbol), size);
}

static uint64_t executable_size(const struct symbol *symbol, const struct output_section *section)
{
    return symbol->is_texture ? 0 : size_within(symbol, section);
}

/* Returns the value of a symbol. A function has the value 0, unless it is a slot of the unified
 * table. An undefined symbol has the value 0, unless the linker decides its value. */
static uint64_t executable_value(const struct symbol *symbol, const struct output_section *section,
                                 uint64_t shared_unreserved)
{
    const struct function *function = symbol->function;
    bool has_value = function ? function->is_stub
                              : section || symbol_is_weak_undefined(symbol) || symbol->linker_made;
    return (has_value ? symbol->value : 0) + (symbol->shared ? shared_unreserved : 0);
}

/* Writes a symbol of an executable. Memory spaces and the CUDA object type exist only in
 * relocatable files and in the Mercury view, so a native symbol has neither, with few
 * exceptions. */
static void write_executable_symbol(const struct symbol_writer *writer, const struct symbol *symbol)
{
    const struct function *function = symbol->function;
    const struct output_section *section = section_of(symbol);
    bool spaceless = symbol_is_weak_undefined(symbol) && !(symbol->other & STO_CUDA_SPACE);
    uint8_t type = symbol->type;
    if (type == STT_CUDA_OBJECT || type == STT_OBJECT)
        type = spaceless || keeps_cuda_type(writer, symbol) ? STT_CUDA_OBJECT : STT_OBJECT;
    /* In the output, the linker's own symbols and references to textures are GLOBAL and have no
     * flags in st_other, whatever the inputs have (observed). */
    bool plain = symbol->linker_made || (symbol->is_texture && !symbol->section);
    uint8_t binding = plain ? STB_GLOBAL : symbol->binding;
    uint8_t other = plain ? 0 : output_other(symbol, STO_CUDA_SPACE);
    uint64_t size = executable_size(symbol, section);
    if (writer->sizes_aliases && function && section)
        size = native_size(function, size);
    uint64_t value = executable_value(symbol, section, writer->shared_unreserved);
    if (writer->view == VIEW_MERCURY)
        write_mercury_symbol(writer, symbol, section, binding, type, value, size);
    else
        write_symbol(writer, symbol->output_index, symbol->name->name.offset,
                     (uint8_t)(binding << 4 | type), other, section, value, size);
}

static void write_section_symbol(const struct symbol_writer *writer,
                                 const struct output_section *section)
{
    const struct linked_name *name =
        output_symbol_name(section, writer->view, writer->merges_names);
    uint32_t offset =
        section->rank == RANK_PARAMETERS ? section->other_view->string_offset : name->name.offset;
    write_symbol(writer, section->symbol_index, offset, STT_SECTION, 0, section, 0, 0);
}

static void write_named_symbol(const link_context *link, const struct symbol_writer *writer,
                               const struct symbol *symbol)
{
    if (link->options.relocatable)
        write_relocatable_symbol(writer, symbol);
    else
        write_executable_symbol(writer, symbol);
}

/* Writes a local symbol. Returns false if the symbol belongs to a later part. */
static bool write_local_symbol(const link_context *link, const struct symbol_writer *writer,
                               struct symbol_part *part)
{
    const struct symbol *symbol = link->output.local_symbols[part->next_local_symbol];
    if (symbol->output_index >= part->end)
        return false;
    if (symbol->output_index)
        write_named_symbol(link, writer, symbol);
    part->next_local_symbol++;
    return true;
}

static bool write_local(const link_context *link, const struct symbol_writer *writer,
                        struct symbol_part *part)
{
    const struct output_section *section = link->output.locals[part->next_local];
    if (section == link->output.symbol_slot)
        return write_local_symbol(link, writer, part);
    if (section->symbol_index >= part->end)
        return false;
    if (section->symbol_index)
        write_section_symbol(writer, section);
    return true;
}

/* Writes the symbols of the part, up to part->end. The output's lists are in the order of the
 * indices. */
static void write_part(const link_context *link, const struct symbol_writer *writer,
                       struct symbol_part *part)
{
    const struct output *output = &link->output;
    for (; part->next_local < output->locals_count; part->next_local++)
        if (!write_local(link, writer, part))
            return;
    for (; part->next_global < output->globals_count; part->next_global++) {
        const struct symbol *symbol = output->globals[part->next_global];
        if (symbol->output_index >= part->end)
            return;
        if (symbol->output_index)
            write_named_symbol(link, writer, symbol);
    }
}

static uint64_t null_symbol_value(const struct output *output)
{
    return output->null_symbol_value + output->null_symbol_reserves;
}

static void write_symbol_table(const link_context *link, const struct symbol_writer *writer)
{
    struct symbol_part whole = {.end = link->output.symbol_count};
    if (writer->entries)
        store_u64(writer->entries + 8, null_symbol_value(&link->output));
    write_part(link, writer, &whole);
}

void write_symbol_part(const link_context *link, struct symbol_part *part, uint8_t *bytes)
{
    const struct symbol_writer writer = {.first = part->first, .entries = bytes};
    assert(!link_has_mercury(link));
    if (!part->first)
        store_u64(bytes + 8, null_symbol_value(&link->output));
    write_part(link, &writer, part);
}

static void write_mercury_symbols(const link_context *link, const struct file_window *window)
{
    const struct output *output = &link->output;
    const struct symbol_writer writer = {
        .view = VIEW_MERCURY,
        .is_late = true,
        .shared_reserved = link_shared_reserved(link),
        .entries = window_section(window, output->mercury_symbols),
        .indices = window_section(window, output_counterpart(output->index_table))};
    if (writer.entries || writer.indices)
        write_symbol_table(link, &writer);
}

/* Returns the number that is added to the native values of shared variables. Up to release 13.4,
 * these values include bytes for the system even with --disable-smem-reservation, when the link
 * reserves none; see mercury_shift. */
static uint64_t shared_unreserved(const link_context *link)
{
    bool counts = link_has_mercury(link) && link_names_shared(link) &&
                  link->options.no_shared_reservation &&
                  !link_follows(link, RELEASE_RESERVES_NOTHING_NATIVE);
    return counts ? link->target->shared_reserved : 0;
}

struct written_symbol written_symbol(const link_context *link, const struct symbol *symbol)
{
    const struct output_section *section = section_of(symbol);
    bool is_relocatable = link->options.relocatable;
    uint64_t value = is_relocatable ? (symbol->function ? 0 : symbol->value)
                                    : executable_value(symbol, section, shared_unreserved(link));
    return (struct written_symbol){
        .section = section,
        .value = value,
        .size = is_relocatable ? size_within(symbol, section) : executable_size(symbol, section),
        .binding =
            symbol->linker_made || (symbol->is_texture && !symbol->section && !is_relocatable)
                ? STB_GLOBAL
                : symbol->binding,
    };
}

/* Writes the symbol table of each view, and its table of long indices, if they are in the
 * window. */
void write_symbols(const link_context *link, const struct file_window *window)
{
    const struct output *output = &link->output;
    const bool has_mercury = link_has_mercury(link);
    struct symbol_writer writer = {.has_mercury = has_mercury,
                                   .sizes_aliases =
                                       has_mercury && !link_follows(link, RELEASE_SIZES_NO_ALIASES),
                                   .merges_names = release_names_only_written(link),
                                   .is_late = output->index_table->rank == RANK_INDICES,
                                   .entries = window_section(window, output->symbol_table),
                                   .indices = window_section(window, output->index_table)};
    writer.shared_unreserved = shared_unreserved(link);
    if (writer.entries || writer.indices)
        write_symbol_table(link, &writer);
    writer.is_late = true;
    for (size_t i = 0; (writer.entries || writer.indices) && i < output->late_count; i++)
        if (output->late[i]->symbol_index)
            write_section_symbol(&writer, output->late[i]);
    if (output->mercury_symbols)
        write_mercury_symbols(link, window);
}
