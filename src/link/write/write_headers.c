/* The bytes of the file header, the section headers and the program headers.
 *
 * Part of write. The section headers stand behind the last section, the program headers behind
 * them. */
#include <string.h>

#include "base/bytes.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/write/write.h"
#include "warpld.h"

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
        section = output_counterpart(section); /* has the facts for both */
    if (section == output->symbol_table)
        return locals_end(output, view);
    if (section->info_is_function)
        return section->owner->symbol->output_index | (uint32_t)section->info_high << 24;
    const struct output_section *info = section_in_view(section->info, view);
    return info ? info->index : 0;
}

/* Of an adopted number the native section has just that, and its Mercury form what corresponds to
 * the section of this number (observed with patched objects); but none that no section has, which
 * nvlink 13.0.88 writes, too. */
static uint32_t adopted_link(const struct output *output, const struct output_section *section)
{
    bool is_native = section->view == VIEW_NATIVE;
    uint32_t number = output_rare(is_native ? section : output_counterpart(section))->link_number;
    if (number >= output->ordered_count)
        return 0;
    if (is_native)
        return number;
    const struct output_section *target =
        number ? output_counterpart(output->ordered[number]) : NULL;
    return target ? target->index : 0;
}

/* Of a native section. */
static const struct output_section *linked_section(const struct output *output,
                                                   const struct output_section *section)
{
    if (section->names_symbols)
        return output->symbol_table;
    if (section == output->symbol_table)
        return output->string_table;
    return section == output->cuda_note ? output->tool_note : NULL;
}

static uint32_t section_link(const struct output *output, const struct output_section *section)
{
    enum code_view view = (enum code_view)section->view;
    const struct output_section *link =
        linked_section(output, view == VIEW_NATIVE ? section : output_counterpart(section));
    const struct output_section *target = section_in_view(link, view);
    if (!link)
        return adopted_link(output, section);
    return target ? target->index : 0;
}

static uint64_t section_entry_size(const struct output_section *section)
{
    return section->entry_size ? section->entry_size : output_rare(section)->entry_size;
}

static uint32_t section_name_offset(const struct output_section *section)
{
    bool own = section->view == VIEW_MERCURY || section->rank == RANK_PARAMETERS ||
               section->rank == RANK_INDICES;
    return own ? section->other_view->name_offset : section->name->shstrtab_offset;
}

static void write_section_header(const struct output *output, const struct output_section *section,
                                 uint8_t *place)
{
    store_u32(place, section_name_offset(section));
    store_u32(place + 4, section->type);
    store_u64(place + 8, section->flags);
    store_u64(place + 24, section->offset);
    store_u64(place + 32, section->size);
    store_u32(place + 40, section_link(output, section));
    store_u32(place + 44, section_info(output, section));
    store_u64(place + 48, section->alignment);
    store_u64(place + 56, section_entry_size(section));
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

static uint16_t file_type(const link_context *link)
{
    if (!link->options.relocatable)
        return ET_EXEC;
    return link->whole_programs.is_any ? ET_WHOLE_PROGRAM : ET_REL;
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
    store_u16(file + 16, file_type(link));
    store_u16(file + 18, EM_CUDA);
    store_u32(file + 20, abi_12 ? WARPLD_TOOLKIT_VERSION_12 : 1);
    store_u64(file + 32, output->program_headers);
    store_u64(file + 40, output->section_headers);
    store_u32(file + 48, abi_12 ? header_flags_12(link) : header_flags(link));
    store_u16(file + 52, ELF_HEADER_SIZE);
    bool has_no_segments = link->options.relocatable && link_has_mercury(link); /* observed */
    store_u16(file + 54, has_no_segments ? 0 : ELF_PROGRAM_HEADER_SIZE);
    store_u16(file + 56, (uint16_t)output->segment_count);
    store_u16(file + 58, ELF_SECTION_HEADER_SIZE);
    store_u16(file + 60, count < SHN_LORESERVE ? (uint16_t)count : 0);
    store_u16(file + 62, (uint16_t)output->section_names->index);
}

/* Of 65,280 sections and more the null section tells the real number. */
static void write_null_header(const struct output *output, uint8_t *place)
{
    if (output->ordered_count >= SHN_LORESERVE)
        store_u64(place + 32, output->ordered_count);
}

static void write_section_headers(const struct output *output, const struct file_window *window)
{
    bool has_start = window->start <= output->section_headers;
    uint64_t skipped = has_start ? output->section_headers - window->start : 0;
    uint64_t first =
        has_start ? 0 : (window->start - output->section_headers) / ELF_SECTION_HEADER_SIZE;
    uint64_t end = first + (window->size - skipped) / ELF_SECTION_HEADER_SIZE;
    for (uint64_t i = first; i < end && i < output->ordered_count; i++) {
        uint8_t *place = window->bytes + skipped + (i - first) * ELF_SECTION_HEADER_SIZE;
        if (i == 0)
            write_null_header(output, place);
        else
            write_section_header(output, output->ordered[i], place);
    }
}

static void write_program_headers(const struct output *output, const struct file_window *window)
{
    if (output->program_headers < window->start ||
        output->program_headers >= window->start + window->size)
        return;
    uint8_t *place = window->bytes + (output->program_headers - window->start);
    for (uint32_t i = 0; i < output->segment_count; i++)
        write_program_header(&output->segments[i], place + (uint64_t)i * ELF_PROGRAM_HEADER_SIZE);
}

void write_headers(const link_context *link, const struct file_window *window)
{
    const struct output *output = &link->output;
    if (window->start == 0)
        write_file_header(link, window->bytes);
    if (window->start + window->size <= output->section_headers)
        return;
    write_section_headers(output, window);
    write_program_headers(output, window);
}
