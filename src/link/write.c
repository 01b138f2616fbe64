/* The plan becomes bytes.
 *
 * Requires: all offsets and indices. Makes: the output file in memory. Every section must write
 * exactly the bytes that it was given; anything else is reported and nothing is handed out. */
#include <assert.h>

#include "base/parallel.h"
#include "link/apply.h"
#include "link/large_parts.h"
#include "link/metadata.h"
#include "link/records.h"
#include "link/shared.h"
#include "link/system_symbols.h"
#include "link/texture_loads.h"

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

struct symbol_writer {
    enum code_view view;
    bool has_mercury; /* the file has both views */
    bool is_late;     /* what nvlink writes with Mercury code alone */
    uint64_t shared_reserved;
    uint64_t shared_unreserved; /* what native values count of it without the reservation */
    uint8_t *entries;
    uint8_t *indices; /* .symtab_shndx, or NULL */
};

/* Index 0xfff2 is written as it is although it is a reserved one, and late index 0xff00, as nvlink
 * does (observed with 69,012 native sections, and with 90,025 and 112,545 in two views). */
static bool needs_long_index(const struct symbol_writer *writer, uint32_t section)
{
    return writer->is_late ? section > SHN_LORESERVE
                           : section >= SHN_LORESERVE && section != SHN_COMMON;
}

/* The Mercury table names the Mercury form of a section, where there is one. */
static const struct output_section *section_in_view(const struct output_section *section,
                                                    enum code_view view)
{
    return section && view == VIEW_MERCURY && section->twin ? section->twin : section;
}

static void write_symbol(const struct symbol_writer *writer, uint32_t index, uint32_t name,
                         uint8_t info, uint8_t other, const struct output_section *section,
                         uint64_t value, uint64_t size)
{
    uint8_t *entry = writer->entries + (uint64_t)index * ELF_SYMBOL_SIZE;
    section = section_in_view(section, writer->view);
    uint32_t section_index = section ? section->index : SHN_UNDEF;
    bool is_long = needs_long_index(writer, section_index);
    store_u32(entry, name);
    entry[4] = info;
    entry[5] = other;
    store_u16(entry + 6, (uint16_t)(is_long ? SHN_XINDEX : section_index));
    store_u64(entry + 8, value);
    store_u64(entry + 16, size);
    /* Words that are not needed hold the section's number of creation, or late nothing (observed as
     * above); readers ignore them. */
    uint32_t unneeded = section && !writer->is_late ? section->creation : 0;
    if (writer->indices && section)
        store_u32(writer->indices + (uint64_t)index * 4, is_long ? section_index : unneeded);
}

/* What was hidden from other objects is not hidden from the driver (observed). */
static uint8_t output_other(const struct symbol *symbol)
{
    uint8_t other = symbol->other & (uint8_t)~STO_CUDA_SPACE;
    return (other & STO_VISIBILITY) == STV_HIDDEN ? other & (uint8_t)~STO_VISIBILITY : other;
}

/* What a final link will need to know is as the inputs say. */
static void write_relocatable_symbol(const struct symbol_writer *writer,
                                     const struct symbol *symbol)
{
    const struct function *function = symbol->function;
    const struct output_section *section =
        function && function->alias_of ? function->alias_of->text : symbol->section;
    uint8_t binding = symbol->linker_made ? STB_GLOBAL : symbol->binding;
    uint8_t info = (uint8_t)(binding << 4 | symbol->type);
    uint64_t size = symbol->size;
    if (function && section && size > section->size)
        size = section->size; /* an alias of a weak function that lost to a smaller one */
    write_symbol(writer, symbol->output_index, symbol->name->strtab_offset, info, symbol->other,
                 section, function ? 0 : symbol->value, size);
    if (symbol->common) {
        uint8_t *entry = writer->entries + (uint64_t)symbol->output_index * ELF_SYMBOL_SIZE;
        store_u16(entry + 6, SHN_COMMON);
        store_u64(entry + 8, symbol->common_alignment);
    }
}

/* The linker's own symbols of the system's shared memory have another type from sm_100 on. */
static bool keeps_cuda_type(const struct symbol_writer *writer, const struct symbol *symbol)
{
    return writer->has_mercury && symbol->linker_made;
}

/* nvlink takes the first name of code for the function's, be it an alias (observed). */
static uint64_t native_size(const struct function *function, uint64_t size)
{
    if (function->is_stub)
        return size; /* see unified_mercury.c */
    struct output_section *text = function->alias_of ? function->alias_of->text : function->text;
    bool is_first = !text->has_first_name;
    text->has_first_name = true;
    return function->alias_of && is_first ? text->size : size;
}

/* The native view alone counts the reserved bytes of shared memory, even those that are not
 * reserved: the kernel finds its variables 0x400 before what their symbols tell (observed with
 * -g --disable-smem-reservation=true). */
static uint64_t mercury_shift(const struct symbol_writer *writer, const struct symbol *symbol)
{
    if (symbol->section && symbol->section->reserved_count)
        return MERCURY_RESERVED_PART;
    return symbol->shared && symbol->value >= writer->shared_reserved ? writer->shared_reserved : 0;
}

/* Functions have the size of their expanded code, and the linker's own symbols no value. */
static void write_mercury_symbol(const struct symbol_writer *writer, const struct symbol *symbol,
                                 const struct output_section *section, uint8_t binding,
                                 uint8_t type, uint64_t value, uint64_t size)
{
    if (symbol->function && section && symbol->defined)
        size = elf_view_symbol(&symbol->object->elf, VIEW_MERCURY, symbol->input_index).size;
    if (symbol->function && symbol->function->is_stub)
        value = unified_slot_offset(symbol);
    bool plain = symbol->linker_made || symbol->is_texture;
    if (!symbol->function && type == STT_OBJECT)
        type = STT_CUDA_OBJECT;
    write_symbol(writer, symbol->output_index, symbol->name->strtab_offset,
                 (uint8_t)(binding << 4 | type), plain ? 0 : symbol->other, section,
                 symbol->linker_made ? 0 : value - mercury_shift(writer, symbol), size);
}

/* Memory spaces and the CUDA object type exist in relocatable files and the Mercury view only. */
static void write_executable_symbol(const struct symbol_writer *writer, const struct symbol *symbol)
{
    const struct function *function = symbol->function;
    const struct output_section *section =
        function && function->alias_of ? function->alias_of->text : symbol->section;
    bool spaceless = symbol_is_weak_undefined(symbol) && !(symbol->other & STO_CUDA_SPACE);
    uint8_t type = symbol->type;
    if (type == STT_CUDA_OBJECT || type == STT_OBJECT)
        type = spaceless || keeps_cuda_type(writer, symbol) ? STT_CUDA_OBJECT : STT_OBJECT;
    /* The linker's own symbols, and references to textures whatever the inputs say (observed). */
    bool plain = symbol->linker_made || symbol->is_texture;
    uint8_t binding = plain ? STB_GLOBAL : symbol->binding;
    uint8_t other = plain ? 0 : output_other(symbol);
    bool has_value =
        (function && function->is_stub) ||
        (!function && (section || symbol_is_weak_undefined(symbol) || symbol->linker_made));
    uint64_t size = symbol->is_texture ? 0 : symbol->size;
    if (function && section && size > section->size)
        size = section->size; /* an alias of a weak function that lost to a smaller one */
    if (writer->has_mercury && function && section)
        size = native_size(function, size);
    uint64_t value = has_value ? symbol->value : 0;
    if (symbol->shared)
        value += writer->shared_unreserved;
    if (writer->view == VIEW_MERCURY)
        write_mercury_symbol(writer, symbol, section, binding, type, value, size);
    else
        write_symbol(writer, symbol->output_index, symbol->name->strtab_offset,
                     (uint8_t)(binding << 4 | type), other, section, value, size);
}

static void write_section_symbol(const struct symbol_writer *writer,
                                 const struct output_section *section)
{
    const struct linked_name *name =
        writer->view == VIEW_MERCURY ? section->merged_name : section->name;
    uint32_t offset =
        section->rank == RANK_PARAMETERS ? section->string_offset : name->strtab_offset;
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

static void write_symbol_table(const link_context *link, const struct symbol_writer *writer)
{
    const struct output *output = &link->output;
    store_u64(writer->entries + 8, output->null_symbol_value);
    for (size_t i = 0; i < output->locals_count; i++) {
        const struct local_slot *slot = &output->locals[i];
        if (slot->symbol && slot->symbol->output_index)
            write_named_symbol(link, writer, slot->symbol);
        else if (slot->section && slot->section->symbol_index)
            write_section_symbol(writer, slot->section);
    }
    for (size_t i = 0; i < output->globals_count; i++)
        if (output->globals[i]->output_index)
            write_named_symbol(link, writer, output->globals[i]);
}

static void write_symbols(const link_context *link, uint8_t *file)
{
    const struct output *output = &link->output;
    struct symbol_writer writer = {.has_mercury = link_has_mercury(link),
                                   .is_late = output->index_table->rank == RANK_INDICES,
                                   .entries = file + output->symbol_table->offset};
    if (link_has_mercury(link) && link_is_for_debugger(link) && link->options.no_shared_reservation)
        writer.shared_unreserved = link->target->shared_reserved;
    if (!output->index_table->dropped)
        writer.indices = file + output->index_table->offset;
    write_symbol_table(link, &writer);
    writer.is_late = true;
    for (size_t i = 0; i < output->late_count; i++)
        if (output->late[i]->symbol_index)
            write_section_symbol(&writer, output->late[i]);
    if (output->mercury_symbols) {
        writer = (struct symbol_writer){.view = VIEW_MERCURY,
                                        .is_late = true,
                                        .shared_reserved = link_shared_reserved(link),
                                        .entries = file + output->mercury_symbols->offset};
        if (!output->index_table->dropped)
            writer.indices = file + output->index_table->twin->offset;
        write_symbol_table(link, &writer);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Section contents                                                                              */

static uint8_t *write_names(const struct output_string *strings, size_t count, uint8_t *place)
{
    *place++ = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(place, strings[i].text, strlen(strings[i].text) + 1);
        place += strings[i].size;
    }
    return place;
}

static void write_chunks(const struct output_section *section, uint8_t *place)
{
    for (size_t i = 0; i < section->chunks_count; i++) {
        const struct chunk *chunk = &section->chunks[i];
        const uint8_t *bytes = chunk_bytes(section, chunk);
        if (bytes && chunk->size && !large_parts_have(section, chunk))
            memcpy(place + chunk->offset, bytes, chunk->size);
    }
}

/* Mercury code begins with the index of its native section. */
static void write_native_index(const struct output_section *section, uint8_t *place)
{
    if (section->type == SHT_MERCURY_CODE && section->size >= 4)
        store_u32(place, section->twin->index);
}

static void write_contents(link_context *link, struct output_section *section, uint8_t *file)
{
    const struct output *output = &link->output;
    uint8_t *place = file + section->offset;
    switch ((enum section_content)section->content) {
    case CONTENT_CHUNKS:
        write_chunks(section, place);
        write_native_index(section, place);
        break;
    case CONTENT_RECORDS:
        section->written_size = (uint64_t)(records_write(link, section, place) - place);
        break;
    case CONTENT_BYTES:
        if (section->bytes)
            memcpy(place, section->bytes, section->size);
        else
            metadata_write(link, section, place);
        break;
    case CONTENT_ENTRIES:
        unified_write(link, section, place);
        break;
    case CONTENT_NAMES:
        section->written_size =
            (uint64_t)(write_names(output->shstrtab, output->shstrtab_count, place) - place);
        break;
    case CONTENT_STRINGS:
        section->written_size =
            (uint64_t)(write_names(output->strtab, output->strtab_count, place) - place);
        break;
    case CONTENT_NONE:
    case CONTENT_RELOCATIONS:
    case CONTENT_SYMBOLS:
    case CONTENT_INDICES:
        break;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Headers                                                                                       */

/* What a symbol table has in sh_info: the first global symbol, or where sections' symbols stand
 * behind the globals, the number behind them (observed). */
static uint32_t locals_end(const struct output *output, enum code_view view)
{
    bool has_late = view == VIEW_NATIVE && output->has_late_symbols;
    return has_late ? output->symbol_count : output->first_global;
}

static uint32_t section_info(const struct output *output, const struct output_section *section)
{
    enum code_view view = (enum code_view)section->view;
    if (view == VIEW_MERCURY)
        section = section->twin; /* has the facts for both */
    if (section == output->symbol_table)
        return locals_end(output, view);
    if (section->info_function)
        return section->info_function->symbol->output_index | section->info_high;
    const struct output_section *info = section_in_view(section->info, view);
    return info ? info->index : 0;
}

static uint32_t section_link(const struct output_section *section)
{
    if (section->view == VIEW_NATIVE)
        return section->link ? section->link->index : 0;
    const struct output_section *target =
        section_in_view(section->twin->link, (enum code_view)section->view);
    return target ? target->index : 0;
}

static uint32_t section_name(const struct output_section *section)
{
    bool own = section->view == VIEW_MERCURY || section->rank == RANK_PARAMETERS ||
               section->rank == RANK_INDICES;
    return own ? section->name_offset : section->name->shstrtab_offset;
}

static void write_section_header(const struct output *output, const struct output_section *section,
                                 uint8_t *place)
{
    store_u32(place, section_name(section));
    store_u32(place + 4, section->type);
    store_u64(place + 8, section->flags);
    store_u64(place + 24, section->offset);
    store_u64(place + 32, section->size);
    store_u32(place + 40, section_link(section));
    store_u32(place + 44, section_info(output, section));
    store_u64(place + 48, section->alignment);
    store_u64(place + 56, section->entry_size);
}

static void write_program_header(const struct program_header *segment, uint8_t *place)
{
    enum { SEGMENT_ALIGNMENT = 8 };
    store_u32(place, segment->type);
    store_u32(place + 4, segment->flags);
    store_u64(place + 8, segment->offset);
    store_u64(place + 32, segment->file_size);
    store_u64(place + 40, segment->memory_size);
    store_u64(place + 48, SEGMENT_ALIGNMENT);
}

static uint32_t header_flags_12(const link_context *link)
{
    bool accelerated = link->target->suffix == SUFFIX_ACCELERATED;
    return link->target->number | EF_12_ALWAYS | EF_12_64BIT_ADDRESS |
           (accelerated ? EF_12_ACCELERATED : 0) |
           (uint32_t)inputs_virtual_sm(link) << EF_12_VIRTUAL_SM_SHIFT;
}

/* Bits 31:24 tell where the CUDA note is; an index above 255 is written as 255. */
static uint32_t header_flags(const link_context *link)
{
    uint32_t note = link->output.cuda_note->index;
    uint32_t code = link_has_mercury(link) ? EF_MERCURY_CODE : EF_NATIVE_CODE;
    return code | (uint32_t)link->target->number << 8 | (note > 0xff ? 0xff : note) << 24;
}

static void write_file_header(const link_context *link, uint8_t *file)
{
    bool abi_12 = link_writes_abi_12(link);
    const uint8_t ident[] = {
        0x7f,
        'E',
        'L',
        'F',
        ELFCLASS64,
        ELFDATA2LSB,
        1,
        abi_12 ? ELFOSABI_CUDA_12 : ELFOSABI_CUDA,
        abi_12 ? ABIVERSION_CUDA_12 : ABIVERSION_CUDA,
    };
    const struct output *output = &link->output;
    uint32_t count = output->ordered_count;
    memcpy(file, ident, sizeof ident);
    store_u16(file + 16, link->options.relocatable ? ET_REL : ET_EXEC);
    store_u16(file + 18, EM_CUDA);
    store_u32(file + 20, abi_12 ? WARPLD_TOOLKIT_VERSION_12 : 1);
    store_u64(file + 32, output->program_headers);
    store_u64(file + 40, output->section_headers);
    store_u32(file + 48, abi_12 ? header_flags_12(link) : header_flags(link));
    store_u16(file + 52, ELF_HEADER_SIZE);
    store_u16(file + 54, ELF_PROGRAM_HEADER_SIZE);
    store_u16(file + 56, (uint16_t)output->segment_count);
    store_u16(file + 58, ELF_SECTION_HEADER_SIZE);
    store_u16(file + 60, count < SHN_LORESERVE ? (uint16_t)count : 0);
    store_u16(file + 62, (uint16_t)output->section_names->index);
    if (count >= SHN_LORESERVE) /* the null section tells the real number */
        store_u64(file + output->section_headers + 32, count);
}

static void write_headers(const link_context *link, uint8_t *file)
{
    const struct output *output = &link->output;
    write_file_header(link, file);
    for (uint32_t i = 1; i < output->ordered_count; i++)
        write_section_header(output, output->ordered[i],
                             file + output->section_headers +
                                 (uint64_t)i * ELF_SECTION_HEADER_SIZE);
    for (uint32_t i = 0; i < output->segment_count; i++)
        write_program_header(&output->segments[i], file + output->program_headers +
                                                       (uint64_t)i * ELF_PROGRAM_HEADER_SIZE);
}

/* --------------------------------------------------------------------------------------------- */

/* Sections share no bytes, so they are written side by side; but with the Mercury view, where two
 * sections can have one place, and code is looked at with the link's memory. */
struct writing {
    link_context *link;
    uint8_t *file;
};

static void write_section(void *context, unsigned worker, size_t index)
{
    const struct writing *writing = context;
    (void)worker;
    write_contents(writing->link, writing->link->output.ordered[index + 1], writing->file);
}

static void apply_section(void *context, unsigned worker, size_t index)
{
    const struct writing *writing = context;
    struct output_section *section = writing->link->output.sections[index];
    (void)worker;
    texture_loads_apply(writing->link, section, writing->file);
    if (section->rel || section->rela || section->slot_rel)
        apply_relocations(writing->link, section, writing->file);
}

static void write_sections(link_context *link, uint8_t *file)
{
    enum { BYTES_OF_A_WORKER = 1 << 20 };
    struct writing writing = {link, file};
    const struct output *output = &link->output;
    unsigned workers =
        link_has_mercury(link) ? 1 : link_workers(link, output->size / BYTES_OF_A_WORKER);
    parallel_for(workers, output->ordered_count - 1, write_section, &writing);
    write_symbols(link, file);
    parallel_for(workers, output->sections_count, apply_section, &writing);
}

static bool writes_what_it_says(const struct output_section *section)
{
    switch ((enum section_content)section->content) {
    case CONTENT_RECORDS:
    case CONTENT_NAMES:
    case CONTENT_STRINGS:
    case CONTENT_RELOCATIONS:
        return true;
    default:
        return false;
    }
}

static void check_sizes(link_context *link)
{
    for (uint32_t i = 1; i < link->output.ordered_count; i++) {
        struct output_section *section = link->output.ordered[i];
        if (section->content == CONTENT_RELOCATIONS)
            section->written_size = section->written_relocations * section->entry_size;
        if (writes_what_it_says(section) && section->written_size != section->size)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_INTERNAL_SIZE, NULL, NULL,
                              section->name->name.text, (unsigned long long)section->size,
                              (unsigned long long)section->written_size);
    }
}

/* The bytes can be made more than once. */
static void forget_what_was_written(struct output *output)
{
    for (size_t i = 0; i < output->sections_count; i++) {
        output->sections[i]->written_relocations = 0;
        output->sections[i]->has_first_name = false;
    }
}

bool write_file(link_context *link, uint8_t *file)
{
    forget_what_was_written(&link->output);
    write_sections(link, file);
    write_headers(link, file);
    check_sizes(link);
    return !diagnostics_failed(&link->diagnostics);
}

/* A large output is made straight in the file, if that is where it is to go. Nothing is allocated
 * then. */
static bool can_wait(const link_context *link)
{
    enum { LEAST_SIZE = 1 << 20 }; /* below that a mapping of the file costs more than a copy */
    return !link_has_mercury(link) && !link->large_parts_count && link->output.size >= LEAST_SIZE;
}

void write_in_memory(link_context *link)
{
    uint8_t *file = ARENA_ARRAY(ARENA, uint8_t, link->output.size);
    if (!write_file(link, file))
        return;
    link->result = (struct bytes){file, link->output.size};
    large_parts_split(link);
    link->stage = STAGE_WRITTEN;
}

void write_output(link_context *link)
{
    assert(link->stage == STAGE_INDEXED);
    if (can_wait(link))
        link->stage = STAGE_READY;
    else
        write_in_memory(link);
}
