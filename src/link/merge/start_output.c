/* Makes the sections that precede those of the objects; see start_output.h. Part of pass_merge. */
#include "link/merge/start_output.h"

#include "base/arena.h"
#include "link/merge/merge_unified.h"
#include "link/model/output.h"

/* Makes the sections that every output starts with, in nvlink's order of creation. Creation number
 * 7 belongs to .nv.uft.entry: unified_start uses it even if it does not make this section. */
void output_start(link_context *link)
{
    enum { USUAL_SECTIONS = 64 }; /* more than a small link needs, so that its lists never grow */
    struct output *output = &link->output;
    ARENA_RESERVE(&link->arena, output, sections, USUAL_SECTIONS);
    ARENA_RESERVE(&link->arena, output, locals, USUAL_SECTIONS);
    output->bare_section = ARENA_NEW(&link->arena, struct output_section);
    output->bare_section->dropped = output->bare_section->nameless = true;
    output->bare_section->bank = -1;
    output->symbol_slot = ARENA_NEW(&link->arena, struct output_section);
    output->next_creation = 1;
    output->section_names = output_add(link, ".shstrtab", SHAPE_NAMES);
    output->string_table = output_add(link, ".strtab", SHAPE_STRINGS);
    output->symbol_table = output_add(link, ".symtab", SHAPE_SYMBOLS);
    output->index_table = output_add(link, ".symtab_shndx", SHAPE_INDICES);
    output->tool_note = output_add(link, ".note.nv.tkinfo", SHAPE_TOOL_NOTE);
    output->cuda_note = output_add(link, ".note.nv.cuinfo", SHAPE_CUDA_NOTE);
    unified_start(link);
    output->info = output_add(link, ".nv.info", SHAPE_INFO);
    output->index_table->names_symbols = true;
    output->info->names_symbols = true;
    output->mercury_symbols = output_counterpart(output->symbol_table);
    if (link_writes_abi_12(link)) {
        output->tool_note->dropped = output->tool_note->nameless = true;
        output->cuda_note->dropped = output->cuda_note->nameless = true;
    }
}

static void set_host_data(link_context *link, struct output_section *section)
{
    output_add_rare(link, section)->bytes = link->options.host_data;
    section->size = link->options.host_size;
}

void output_add_host_data(link_context *link)
{
    if (!link->options.host_data)
        return;
    struct output_section *host = output_add(link, ".nv.host", SHAPE_HOST);
    set_host_data(link, host);
    if (output_counterpart(host))
        set_host_data(link, output_counterpart(host));
}
