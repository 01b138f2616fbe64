/* Writes --trace lines about the plan: addresses of variables, and all attribute records.
 *
 * Changes nothing. pass_merge assigns addresses to whole input sections, and traces no single
 * variables. So later passes call these functions, which list all variables of each section. */
#include "link/layout/trace_plan.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* A variable with an address. */
struct placed_variable {
    const struct symbol *symbol;
    size_t number; /* the order of the symbols, for variables with equal addresses */
};

struct placed_variables {
    GROWING_ARRAY(struct placed_variable, list);
};

static enum input_kind kind_of(const struct symbol *symbol)
{
    const struct elf_view *elf = &symbol->object->elf;
    struct elf_symbol input = elf_view_symbol(elf, VIEW_NATIVE, symbol->input_index);
    if (symbol->common)
        return INPUT_GLOBAL;
    return input.section < elf->section_count ? input_section_kind(&elf->sections[input.section])
                                              : INPUT_OTHER;
}

static void add_placed_variable(link_context *link, struct placed_variables *variables,
                                const struct symbol *symbol, bool constants)
{
    if (!symbol || symbol->function || !symbol->section)
        return;
    enum input_kind kind = kind_of(symbol);
    bool is_constant = kind == INPUT_CONSTANT_USER || kind == INPUT_CONSTANT_ENTRY;
    bool is_other = kind == INPUT_GLOBAL || kind == INPUT_GLOBAL_INIT || kind == INPUT_LOCAL;
    if (constants ? is_constant : is_other)
        *ARENA_APPEND(&link->arena, variables, list) =
            (struct placed_variable){symbol, variables->list_count};
}

static int by_address(const void *a, const void *b)
{
    const struct placed_variable *first = a, *second = b;
    const struct symbol *x = first->symbol, *y = second->symbol;
    if (x->section->creation != y->section->creation)
        return x->section->creation < y->section->creation ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

/* Traces the addresses either of constants or of variables in global and local memory. The lines
 * are sorted by section, and then by offset. */
static void list_addresses(link_context *link, bool constants)
{
    struct placed_variables variables = {0};
    if (!trace_has(&link->trace, TRACE_CATEGORY_LAYOUT))
        return;
    for (size_t i = 0; i < link->output.local_symbols_count; i++)
        add_placed_variable(link, &variables, link->output.local_symbols[i], constants);
    for (size_t i = 0; i < link->output.globals_count; i++)
        add_placed_variable(link, &variables, link->output.globals[i], constants);
    if (variables.list_count)
        qsort(variables.list, variables.list_count, sizeof *variables.list, by_address);
    const struct output_section *section = NULL;
    for (size_t i = 0; i < variables.list_count; i++) {
        const struct symbol *symbol = variables.list[i].symbol;
        if (symbol->section != section && (constants || kind_of(symbol) == INPUT_LOCAL))
            TRACE(&link->trace, constants ? TRACE_CONSTANT_ENTRY : TRACE_LOCAL_ENTRY,
                  section_name(link, symbol->section));
        section = symbol->section;
        TRACE(&link->trace, TRACE_VARIABLE, symbol_name(symbol), (unsigned long long)symbol->value);
    }
}

void trace_global_addresses(link_context *link)
{
    list_addresses(link, false);
}

void trace_constant_offsets(link_context *link)
{
    list_addresses(link, true);
}

static void list_records(link_context *link, const struct output_section *section,
                         const struct output_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (records[i].code != EIATTR_ERROR)
            TRACE(&link->trace, TRACE_RECORD, (unsigned)records[i].format,
                  (unsigned)records[i].code, (unsigned)records[i].value, section->creation);
}

void trace_records(link_context *link)
{
    if (!trace_has(&link->trace, TRACE_CATEGORY_INFO))
        return;
    for (size_t i = 0; i < link->output.sections_count; i++) {
        const struct output_section *section = link->output.sections[i];
        if (section->content != CONTENT_RECORDS)
            continue;
        list_records(link, section, section->records, section->records_count);
        list_records(link, section, output_rare(section)->appended_records,
                     output_rare(section)->appended_records_count);
        list_records(link, section, output_rare(section)->tail_records,
                     output_rare(section)->tail_records_count);
    }
}
