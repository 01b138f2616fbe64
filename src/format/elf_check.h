/* The rules of elf_rules.def, checked while a view is opened. Private to elf_view.c.
 *
 * The checks run in stages. A stage may rely on everything that the stages before it have checked;
 * within a stage they go on after a violation, unless the handler says to stop:
 *   1. section headers: every section's bytes, kind and entries
 *   2. which symbol tables there are
 *   3. what sections link to and belong to; of what kinds they are
 *   4. contents: symbols, relocations, attributes, call graph, notes
 * Each stage is one pass over its bytes, and none takes memory that depends on their values. */
#ifndef WARPLD_FORMAT_ELF_CHECK_H
#define WARPLD_FORMAT_ELF_CHECK_H

#include "base/arena.h"
#include "format/elf_view.h"

struct elf_check {
    struct elf_view *view;
    struct arena *arena;
    elf_problem_handler *handler;
    void *context;
    uint64_t name_budget; /* bytes of names that the file may still have us read */
    /* Of the section headers, for the stages behind them: */
    uint32_t first_table, end_tables; /* tables of symbols and of their sections are in between */
    uint64_t contents_end[VIEW_COUNT];
    bool is_disordered[VIEW_COUNT]; /* some contents do not stand behind those before them */
    bool failed;
    bool stopped; /* by the handler */
};

/* Reports one violation in a section (0: of the file). Cold, like all reports: what leads to one
 * stands apart from what most files go through. */
__attribute__((cold)) void elf_check_report(struct elf_check *check, enum elf_rule rule,
                                            uint32_t section, uint64_t index, uint64_t value);

/* Names of symbols and sections stand in the output, some of them several times; there is one
 * string for each, so that no file has more bytes of them than bytes (0.3 times as many at most in
 * 10,000 objects). A prototype is read again for each function that has it. */
enum name_cost { NAME_COST_PROTOTYPE = 1, NAME_COST_SYMBOL = 16 };

/* Tables up to this size cannot multiply a file's bytes by much, so their names are not measured.
 */
enum { ELF_SMALL_STRING_TABLE = 2 << 10 };

/* True when a name of the table may be read: one long string whose parts are the names of thousands
 * of symbols would otherwise make a small file expensive. */
bool elf_check_afford_long_name(struct elf_check *check, const char *name, enum name_cost cost);
static inline bool elf_check_afford_name(struct elf_check *check, const char *strings,
                                         uint64_t strings_size, uint64_t offset,
                                         enum name_cost cost)
{
    return strings_size <= ELF_SMALL_STRING_TABLE || !check->name_budget ||
           elf_check_afford_long_name(check, strings + offset, cost);
}

/* The section that a header field names; NULL when there is none, and for section 0. */
static inline const struct elf_section *elf_check_section(const struct elf_check *check,
                                                          uint32_t index)
{
    const struct elf_view *view = check->view;
    return index && index < view->section_count ? &view->sections[index] : NULL;
}

/* The symbol table that a section's indices refer to. */
static inline const struct elf_symbol_table *elf_check_symbols(const struct elf_check *check,
                                                               const struct elf_section *section)
{
    return &check->view->symbols[section->view];
}

void elf_check_section_headers(struct elf_check *check);
void elf_check_overlaps(struct elf_check *check);
void elf_check_find_tables(struct elf_check *check);
void elf_check_links(struct elf_check *check);
void elf_check_kinds(struct elf_check *check);
void elf_check_symbol_tables(struct elf_check *check);
void elf_check_contents(struct elf_check *check);

#endif
