/* Writes the file header, the section headers and the program headers.
 *
 * Part of pass_write_output. The section headers follow the last section, and the program headers
 * follow the section headers. */
#include <string.h>

#include "base/bytes.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/write/write.h"
#include "warpld.h"

/* Returns the sh_info of a symbol table: the index of the first global symbol. If section symbols
 * follow the globals, it is the number of symbols (observed). */
static uint32_t locals_end(const struct output *output, enum code_view view)
{
    bool has_late = view == VIEW_NATIVE && output->has_late_symbols;
    return has_late ? output->symbol_count : output->first_global;
}

static uint32_t section_info(const struct output *output, const struct output_section *section)
{
    enum code_view view = (enum code_view)section->view;
    if (view == VIEW_MERCURY)
        section = output_counterpart(section); /* the fields of the native section are for both
                                                * views */
    if (section == output->symbol_table)
        return locals_end(output, view);
    if (section->info_is_function)
        return section->owner->symbol->output_index | (uint32_t)section->info_high << 24;
    const struct output_section *info = section_in_view(section->info, view);
    return info ? info->index : 0;
}

/* Returns sh_link for a section whose sh_link N comes from an input (output_adopt_header). A native
 * section keeps N unchanged. Its Mercury counterpart has the index of the counterpart of output
 * section N, or 0 if section N has no counterpart (observed with patched objects). If the output
 * has no section N, the result is 0, although nvlink 13.0.88 writes N. */
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

/* Returns the section to which sh_link of a native section refers; NULL if there is none. */
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
                                 uint8_t *out)
{
    store_u32(out + SH_NAME, section_name_offset(section));
    store_u32(out + SH_TYPE, section->type);
    store_u64(out + SH_FLAGS, section->flags);
    store_u64(out + SH_OFFSET, section->offset);
    store_u64(out + SH_SIZE, section->size);
    store_u32(out + SH_LINK, section_link(output, section));
    store_u32(out + SH_INFO, section_info(output, section));
    store_u64(out + SH_ADDRALIGN, section->alignment);
    store_u64(out + SH_ENTSIZE, section_entry_size(section));
}

static void write_program_header(const struct program_header *segment, uint8_t *out)
{
    enum { SEGMENT_ALIGNMENT = 8 };
    store_u32(out, segment->type);
    store_u32(out + 4, segment->flags);
    store_u64(out + 8, segment->offset);
    store_u64(out + 32, segment->file_size);
    store_u64(out + 40, segment->memory_size);
    store_u64(out + 48, SEGMENT_ALIGNMENT);
}

static uint32_t header_flags_12(const link_context *link)
{
    bool accelerated = link->target->suffix == SUFFIX_ACCELERATED;
    return link->target->number | EF_12_ALWAYS | EF_12_64BIT_ADDRESS |
           (accelerated ? EF_12_ACCELERATED : 0) |
           (uint32_t)inputs_virtual_sm(link) << EF_12_VIRTUAL_SM_SHIFT;
}

/* Returns e_flags. Bits 31:24 are the section index of the CUDA note; an index above 255 is written
 * as 255. */
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

/* Writes the ELF header of the output's ABI. */
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
    store_u16(file + E_TYPE, file_type(link));
    store_u16(file + E_MACHINE, EM_CUDA);
    store_u32(file + E_VERSION, abi_12 ? WARPLD_TOOLKIT_VERSION_12 : 1);
    store_u64(file + E_PHOFF, output->program_headers);
    store_u64(file + E_SHOFF, output->section_headers);
    store_u32(file + E_FLAGS, abi_12 ? header_flags_12(link) : header_flags(link));
    store_u16(file + E_EHSIZE, ELF_HEADER_SIZE);
    bool has_no_segments = link->options.relocatable && link_has_mercury(link); /* observed */
    store_u16(file + E_PHENTSIZE, has_no_segments ? 0 : ELF_PROGRAM_HEADER_SIZE);
    store_u16(file + E_PHNUM, (uint16_t)output->segment_count);
    store_u16(file + E_SHENTSIZE, ELF_SECTION_HEADER_SIZE);
    store_u16(file + E_SHNUM, count < SHN_LORESERVE ? (uint16_t)count : 0);
    store_u16(file + E_SHSTRNDX, (uint16_t)output->section_names->index);
}

/* Writes the header of the null section, which contains the number of sections if that is 65,280 or
 * more. */
static void write_null_header(const struct output *output, uint8_t *out)
{
    if (output->ordered_count >= SHN_LORESERVE)
        store_u64(out + SH_SIZE, output->ordered_count);
}

static void write_section_headers(const struct output *output, const struct file_window *window)
{
    bool has_start = window->start <= output->section_headers;
    uint64_t skipped = has_start ? output->section_headers - window->start : 0;
    uint64_t first =
        has_start ? 0 : (window->start - output->section_headers) / ELF_SECTION_HEADER_SIZE;
    uint64_t end = first + (window->size - skipped) / ELF_SECTION_HEADER_SIZE;
    for (uint64_t i = first; i < end && i < output->ordered_count; i++) {
        uint8_t *out = window->bytes + skipped + (i - first) * ELF_SECTION_HEADER_SIZE;
        if (i == 0)
            write_null_header(output, out);
        else
            write_section_header(output, output->ordered[i], out);
    }
}

static void write_program_headers(const struct output *output, const struct file_window *window)
{
    if (output->program_headers < window->start ||
        output->program_headers >= window->start + window->size)
        return;
    uint8_t *out = window->bytes + (output->program_headers - window->start);
    for (uint32_t i = 0; i < output->segment_count; i++)
        write_program_header(&output->segments[i], out + (uint64_t)i * ELF_PROGRAM_HEADER_SIZE);
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
