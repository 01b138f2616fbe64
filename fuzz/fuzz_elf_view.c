/* Opens the input as a device ELF and reads everything that an opened view gives access to. No read
 * may be outside the file. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/note.h"
#include "format/relocation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* prevents the compiler from removing the reads */

static void read_bytes(const void *bytes, uint64_t size)
{
    const uint8_t *p = bytes;
    for (uint64_t i = 0; i<size; i += size - i> 64 ? 64 : 1)
        sink += p[i];
}

static void read_symbols(const struct elf_view *view)
{
    for (int which = 0; which < VIEW_COUNT; which++)
        for (uint32_t i = 0; i < view->symbols[which].count; i++) {
            struct elf_symbol symbol = elf_view_symbol(view, which, i);
            sink += strlen(symbol.name) + symbol.value + symbol.size;
            if (symbol.section != ELF_SECTION_COMMON && symbol.section != ELF_SECTION_ABSOLUTE)
                sink += view->sections[symbol.section].size;
        }
}

static void read_relocations(const struct elf_view *view, const struct elf_section *section)
{
    const struct elf_section *target = &view->sections[section->info];
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_relocation relocation = elf_section_relocation(section, i);
        const struct relocation_type *type = relocation_type_find(relocation.type);
        sink += elf_view_symbol(view, section->view, relocation.symbol).value;
        if (type && target->type != SHT_MERCURY_CODE)
            sink += relocation_read_addend(type, target->data + relocation.offset,
                                           target->size - relocation.offset);
    }
}

static void read_attributes(const struct elf_view *view, const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        const struct info_attribute *attribute = info_attribute_find(record.code);
        struct bytes payload = info_record_payload(&record);
        read_bytes(payload.data, payload.size);
        if (section->type == SHT_CUDA_COMPAT || !attribute || !payload.size)
            continue;
        uint64_t symbols = attribute->symbols == INFO_SYMBOLS_EVERY   ? payload.size / 4
                           : attribute->symbols == INFO_SYMBOLS_FIRST ? 1
                                                                      : 0;
        for (unsigned i = 0; i < symbols; i++)
            sink += elf_view_symbol(view, section->view, info_record_word(&record, i)).value;
    }
    if (rest.size)
        abort(); /* an opened view has whole records */
}

/* In the call graph and in the list of prototypes, the first word of a pair is a symbol. The second
 * word is a symbol or the offset of a string. */
static void read_pairs(const struct elf_view *view, const struct elf_section *section)
{
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (section->type != SHT_CUDA_PROTOTYPE && !pair.first && pair.second < 0) {
            heading = pair.second;
            continue;
        }
        sink += elf_view_symbol(view, section->view, pair.first).value;
        if (heading == CALLGRAPH_CALLS || heading == CALLGRAPH_TAKES_ADDRESS)
            sink += elf_view_symbol(view, section->view, (uint32_t)pair.second).value;
        else
            sink += strlen(elf_view_string(view, section->view, (uint32_t)pair.second));
    }
}

static void read_notes(const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct note note;
    struct note_cuinfo cuinfo;
    struct note_tkinfo tkinfo;
    while (note_next(&rest, &note)) {
        read_bytes(note.name.data, note.name.size);
        if (note_read_cuinfo(&note, &cuinfo))
            sink += cuinfo.toolkit;
        if (note_read_tkinfo(&note, &tkinfo))
            sink += strlen(tkinfo.object_name) + strlen(tkinfo.tool_name) +
                    strlen(tkinfo.tool_version) + strlen(tkinfo.tool_build) +
                    strlen(tkinfo.command_line);
    }
}

static void read_section(const struct elf_view *view, const struct elf_section *section)
{
    sink += strlen(section->name);
    if (section->flags & SHF_INFO_LINK)
        sink += view->sections[section->info].size;
    if (!section->data)
        return;
    read_bytes(section->data, section->size);
    switch (section->type) {
    case SHT_CUDA_INFO:
    case SHT_MERCURY_INFO:
    case SHT_CUDA_COMPAT:
        read_attributes(view, section);
        break;
    case SHT_CUDA_CALLGRAPH:
    case SHT_MERCURY_CALLGRAPH:
    case SHT_CUDA_PROTOTYPE:
        read_pairs(view, section);
        break;
    case SHT_NOTE:
        read_notes(section);
        break;
    default:
        if (elf_section_is_relocation(section))
            read_relocations(view, section);
    }
}

static void read_all(const struct elf_view *view)
{
    read_symbols(view);
    for (uint32_t i = 1; i < view->section_count; i++)
        read_section(view, &view->sections[i]);
}

static bool count_problem(void *context, const struct elf_problem *problem)
{
    sink += strlen(elf_rule_text(problem->rule)) + strlen(elf_rule_slug(problem->rule));
    if (problem->section_name)
        sink += strlen(problem->section_name);
    unsigned *problems = context;
    *problems += !elf_rule_is_exception(problem->rule);
    return *problems < 1000;
}

static void out_of_memory(void *owner)
{
    (void)owner;
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes file = {data, size};
    struct arena arena;
    struct elf_view view;
    unsigned problems = 0;
    arena_init(&arena, out_of_memory, NULL);
    bool opened = elf_view_open(&view, file, &arena, count_problem, &problems);
    if (opened == (problems > 0) || (opened && elf_identify(file) != ELF_KIND_DEVICE))
        abort();
    if (opened) {
        read_all(&view);
        elf_view_settle(&view, &arena);
        read_all(&view);
    }
    arena_destroy(&arena);
    return 0;
}
