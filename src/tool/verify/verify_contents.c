/* Checks call graphs and notes; see verify.h. */
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/note.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"
#include "tool/verify/verify.h"

/* ---------------------------------------------------------------------------------------------- */
/* Call graph                                                                                     */

static void check_callgraph(struct verify *verify, const struct elf_section *section)
{
    int32_t headings = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first || pair.second >= 0)
            continue;
        if (pair.second != --headings)
            verify_report(verify, VERIFY_RULE_CALLGRAPH_HEADINGS, section->index, i,
                          (uint32_t)pair.second);
    }
    if (headings != -CALLGRAPH_GROUP_COUNT)
        verify_report(verify, VERIFY_RULE_CALLGRAPH_HEADINGS, section->index, section->entry_count,
                      (uint32_t)headings);
}

void verify_callgraphs(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        uint32_t type = view->sections[i].type;
        if (type == SHT_CUDA_CALLGRAPH || type == SHT_MERCURY_CALLGRAPH)
            check_callgraph(verify, &view->sections[i]);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Notes                                                                                          */

/* Adds the number of tool notes in a section to *tools, and the number of tool notes from ptxas to
 * *compilers. */
static void count_tools(const struct elf_section *section, uint64_t *tools, uint64_t *compilers)
{
    struct bytes rest = section_bytes(section);
    struct note note;
    struct note_tkinfo tkinfo;
    while (note_next(&rest, &note)) {
        if (note.type != NT_TKINFO || !note_is_vendors(&note))
            continue;
        ++*tools;
        *compilers += note_read_tkinfo(&note, &tkinfo) && !strcmp(tkinfo.tool_name, "ptxas");
    }
}

bool verify_finds_compiler_only(const struct elf_view *view)
{
    uint64_t tools = 0, compilers = 0;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].type == SHT_NOTE)
            count_tools(&view->sections[i], &tools, &compilers);
    return tools && tools == compilers;
}

void verify_notes(struct verify *verify)
{
    const struct elf_view *view = &verify->subject->view;
    uint64_t cuinfo = 0, tkinfo = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        if (view->sections[i].type != SHT_NOTE)
            continue;
        struct bytes rest = section_bytes(&view->sections[i]);
        struct note note;
        while (note_next(&rest, &note)) {
            cuinfo += note.type == NT_CUINFO;
            tkinfo += note.type == NT_TKINFO;
        }
    }
    unsigned expected = elf_view_abi(view) == ABIVERSION_CUDA; /* ABI 7 has neither note */
    if (cuinfo != expected)
        verify_report(verify, VERIFY_RULE_CUINFO_COUNT, 0, 0, cuinfo);
    if ((tkinfo > 0) != expected)
        verify_report(verify, VERIFY_RULE_TKINFO_MISSING, 0, 0, 0);
}
