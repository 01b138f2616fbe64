/* Assigns file offsets to the sections, and makes the program headers.
 *
 * Requires: INDEXED (order and size of all sections).
 * Makes: READY, file offsets, segments, size of the file.
 * Frozen after: OFFSETS.
 *
 * Reports a file that would be mostly padding.
 *
 * The file consists of the file header, the sections in the order of their indices, the section
 * headers, and the program headers. A section without bytes takes no space, but the offset is
 * aligned for it (observed in every output of nvlink 13.0.88). */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/release.h"

enum { TABLE_ALIGNMENT = 8 };

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Returns true if no function has register information. For a function without this information,
 * .nv_debug_info_reg_sass and .nv_debug_info_reg_type each have only a name and a count. So the two
 * sections have the same size if all functions lack it. */
static bool lists_no_registers(link_context *link)
{
    const struct output_section *registers = output_find(link, ".nv_debug_info_reg_sass");
    const struct output_section *types = output_find(link, ".nv_debug_info_reg_type");
    return registers && types && registers->size == types->size;
}

/* Returns true if the sections have chunks of the same sizes at the same offsets. It is not enough
 * to compare the sizes of the sections: they can be equal although an input has different sizes in
 * its two views. */
static bool has_equal_parts(const struct output_section *section,
                            const struct output_section *counterpart)
{
    bool equal = section->chunks_count == counterpart->chunks_count;
    for (size_t i = 0; equal && i < section->chunks_count; i++)
        equal = section->chunks[i].offset == counterpart->chunks[i].offset &&
                section->chunks[i].size == counterpart->chunks[i].size;
    return equal;
}

/* Returns true if the sections have the same bytes. Lists of register types must be compared,
 * because each view has its own order: they are equal in some programs only (observed). */
static bool has_equal_bytes(const struct output_section *section,
                            const struct output_section *counterpart)
{
    bool equal = has_equal_parts(section, counterpart);
    for (size_t i = 0; equal && i < section->chunks_count; i++) {
        const uint8_t *bytes = section->chunks[i].bytes;
        const uint8_t *other = counterpart->chunks[i].bytes;
        equal = bytes && other && !memcmp(bytes, other, section->chunks[i].size);
    }
    return equal;
}

/* Returns true if a debug section has the same bytes in both views:
 *
 *   - .nv_debug_ptx_txt and the names in ALWAYS: always
 *   - the names in OF_FUNCTIONS: if the section has no relocations
 *   - .nv_debug_info_reg_sass: if no function has register information
 *   - .nv_debug_info_reg_type: if the section has no relocations, and the bytes are equal
 *
 * Observed with a section of each name that DWARF has, with and without relocations, and with
 * functions without registers. */
static bool shares_debug_bytes(link_context *link, const struct output_section *section,
                               const struct output_section *counterpart)
{
    static const char *const ALWAYS[] = {".debug_abbrev",  ".debug_aranges",  ".debug_loc",
                                         ".debug_macinfo", ".debug_pubnames", ".debug_pubtypes",
                                         ".debug_ranges",  ".debug_str"};
    static const char *const OF_FUNCTIONS[] = {".debug_frame", ".debug_line",
                                               ".nv_debug_line_sass"};
    const char *name = section_name(link, counterpart);
    bool is_relocated = section->rela && !section->rela->dropped;
    return !strncmp(name, ".nv_debug_ptx_txt", strlen(".nv_debug_ptx_txt")) ||
           is_one_of(name, ALWAYS, sizeof ALWAYS / sizeof *ALWAYS) ||
           (!is_relocated &&
            is_one_of(name, OF_FUNCTIONS, sizeof OF_FUNCTIONS / sizeof *OF_FUNCTIONS)) ||
           (!strcmp(name, ".nv_debug_info_reg_sass") && lists_no_registers(link)) ||
           (!is_relocated && !strcmp(name, ".nv_debug_info_reg_type") &&
            has_equal_bytes(section, counterpart));
}

/* Whether a Mercury section shares the bytes of its counterpart, so that the file has them once.
 * Only debug information, data and constants can be shared. `counterpart` may be NULL. */
static bool shares_bytes(link_context *link, const struct output_section *section,
                         const struct output_section *counterpart)
{
    if (!counterpart || section->view != VIEW_MERCURY || section->size != counterpart->size)
        return false;
    if (section->type == SHT_MERCURY_CONSTANT_USER || section->type == SHT_MERCURY_CONSTANT_PIC ||
        section->type == SHT_CUDA_GLOBAL_INIT)
        return has_equal_parts(section, counterpart);
    return section->rank == RANK_MERCURY_DEBUG && shares_debug_bytes(link, section, counterpart);
}

static uint64_t gap_after(const struct output *output, const struct output_section *section)
{
    if (section == output->section_names)
        return output->shstrtab_gap;
    return section == output->string_table ? output->strtab_gap : 0;
}

/* Assigns a file offset to each section, and to the tables after the last one. */
static void assign_offsets(link_context *link)
{
    struct output *output = &link->output;
    uint64_t position = ELF_HEADER_SIZE;
    for (uint32_t i = 1; i < output->ordered_count; i++) {
        struct output_section *section = output->ordered[i];
        const struct output_section *counterpart = output_counterpart(section);
        if (shares_bytes(link, section, counterpart)) {
            section->offset = counterpart->offset;
            section->alignment = counterpart->alignment; /* as nvlink 13.0.88 */
            continue;
        }
        section->offset = align_up(position, section->alignment);
        position = section->offset + output_bytes_in_file(section) + gap_after(output, section);
        if (output_bytes_in_file(section) >= LARGE_SECTION_SIZE)
            *ARENA_APPEND(&link->arena, output, large) = i;
        if (section->content == CONTENT_NONE)
            output->ranks_without_bytes |= UINT32_C(1) << section->rank;
    }
    bool is_aligned = !link_has_mercury(link) || !link_follows(link, RELEASE_PACKS_HEADERS);
    output->section_headers = align_up(position, is_aligned ? TABLE_ALIGNMENT : 1);
    output->program_headers =
        output->section_headers + (uint64_t)output->ordered_count * ELF_SECTION_HEADER_SIZE;
}

static struct program_header *add_segment(struct output *output, uint32_t type, uint32_t flags)
{
    struct program_header *segment = &output->segments[output->segment_count++];
    *segment = (struct program_header){.type = type, .flags = flags};
    return segment;
}

/* Extends the segment to the end of a section. A section without bytes in the file adds memory
 * instead, at its alignment. `extra` is the memory of all such sections so far. */
static void add_memory(struct program_header *segment, const struct output_section *section,
                       uint64_t *extra)
{
    if (section->content == CONTENT_NONE)
        *extra = align_up(*extra, section->alignment) + section->size;
    segment->file_size = section->offset + output_bytes_in_file(section) - segment->offset;
    segment->memory_size = segment->file_size + *extra;
}

/* Extends the segment by the sections of a rank. If all of them have bytes in the file, the last
 * one is enough to find the end. */
static void add_rank(const struct output *output, struct program_header *segment,
                     enum section_rank rank, uint64_t *extra)
{
    uint32_t start = output->rank_start[rank], end = output->rank_start[rank + 1];
    bool have_bytes = !(output->ranks_without_bytes >> rank & 1);
    for (uint32_t i = have_bytes && start < end ? end - 1 : start; i < end; i++)
        add_memory(segment, output->ordered[i], extra);
}

/* Adds one segment for the sections of the ranks from `first` to `last`, if there are any. */
static void add_load(struct output *output, enum section_rank first, enum section_rank last,
                     uint32_t flags)
{
    uint32_t start = output->rank_start[first];
    if (start == output->rank_start[last + 1])
        return;
    struct program_header *segment = add_segment(output, PT_LOAD, flags);
    segment->offset = output->ordered[start]->offset;
    uint64_t extra = 0;
    for (enum section_rank rank = first; rank <= last; rank++)
        add_rank(output, segment, rank, &extra);
}

static void set_table_segment(const struct output *output, struct program_header *segment)
{
    segment->offset = output->program_headers;
    segment->file_size = segment->memory_size =
        (uint64_t)output->segment_count * ELF_PROGRAM_HEADER_SIZE;
}

/* Adds the segments of a file with Mercury code. In such a file, the segments of the program header
 * table come first, and constants have their own segment. */
static void add_mercury_segments(struct output *output)
{
    struct program_header *table = add_segment(output, PT_PHDR, PF_R);
    struct program_header *loaded_table = add_segment(output, PT_LOAD, PF_R);
    add_load(output, RANK_CONSTANT, RANK_CONSTANT, PF_R);
    add_load(output, RANK_TEXT, RANK_TEXT, PF_R | PF_X);
    add_load(output, RANK_DATA, RANK_NOBITS, PF_R | PF_W);
    add_load(output, RANK_PARAMETERS, RANK_PARAMETERS, PF_R);
    set_table_segment(output, table);
    set_table_segment(output, loaded_table);
}

static void add_segments(struct output *output)
{
    struct program_header *table = add_segment(output, PT_PHDR, PF_R | PF_X);
    add_load(output, RANK_CONSTANT, RANK_TEXT, PF_R | PF_X);
    add_load(output, RANK_DATA, RANK_NOBITS, PF_R | PF_W);
    struct program_header *loaded_table = add_segment(output, PT_LOAD, PF_R | PF_X);
    set_table_segment(output, table);
    set_table_segment(output, loaded_table);
}

/* Returns how many bytes of the file are contents and not padding. All bytes of a bank count as
 * contents, because its padding follows a rule and its size is limited. */
static uint64_t contents_size(link_context *link)
{
    const struct output *output = &link->output;
    uint64_t size = 0;
    for (uint32_t i = 1; i < output->ordered_count; i++) {
        const struct output_section *section = output->ordered[i];
        if (shares_bytes(link, section, output_counterpart(section)))
            continue;
        if (section->content != CONTENT_CHUNKS || section->rank == RANK_CONSTANT)
            size += output_bytes_in_file(section);
        else
            for (size_t c = 0; c < section->chunks_count; c++)
                size += section->chunks[c].size;
    }
    return size;
}

/* Reports a file that would consist mostly of padding. Alignments are limited, but thousands of
 * small aligned sections could still make the output many times as large as the inputs. */
static void check_padding(link_context *link)
{
    static const uint64_t ALWAYS_ALLOWED = UINT64_C(256) << 20;
    if (link->output.section_headers <= ALWAYS_ALLOWED)
        return;
    uint64_t contents = contents_size(link);
    uint64_t padding = link->output.section_headers - contents;
    if (padding > ALWAYS_ALLOWED && padding - ALWAYS_ALLOWED > contents)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_PADDING, NULL, NULL,
                          (unsigned long long)padding, (unsigned long long)contents);
}

void pass_filelayout(link_context *link)
{
    struct output *output = &link->output;
    assign_offsets(link);
    check_padding(link);
    if (link->options.relocatable)
        output->program_headers = 0;
    else if (link_has_mercury(link))
        add_mercury_segments(output);
    else
        add_segments(output);
    output->size =
        output->section_headers + (uint64_t)output->ordered_count * ELF_SECTION_HEADER_SIZE;
    if (output->program_headers)
        output->size =
            output->program_headers + (uint64_t)output->segment_count * ELF_PROGRAM_HEADER_SIZE;
}
