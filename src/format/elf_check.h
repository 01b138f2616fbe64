/* Checks the rules of elf_rules.def while a view is opened. Private to elf_view.c.
 *
 * The checks run in stages. A stage may rely on everything that earlier stages have checked; within
 * a stage the checks continue after a violation, unless the handler stops them:
 *   1. section headers: bytes, kind and entries of every section
 *   2. symbol tables that exist
 *   3. links and owners of sections
 *   4. kinds of sections, and their contents: symbols, relocations, attributes, call graph, notes,
 *      and the records that each function must have
 * Each stage reads its bytes once, and no allocation depends on their values. */
#ifndef WARPLD_FORMAT_ELF_CHECK_H
#define WARPLD_FORMAT_ELF_CHECK_H

#include "base/arena.h"
#include "format/elf_view.h"
#include "format/info_record.h"

/* Capacity of elf_check.codes: most objects have no more functions. */
enum { ELF_CHECK_FEW_CODES = 16 };

struct elf_check {
    struct elf_view *view;
    struct arena *arena;
    elf_problem_handler *handler;
    void *context;
    /* What all names that are read from now on may cost; see elf_check_afford_long_name. 0 means
     * that names are not counted: the budget was used up and a violation was reported, or
     * elf_view_open has counted them before. */
    uint64_t name_budget;
    /* These four are collected from the section headers for later checks: */
    uint32_t first_table, end_tables; /* range of sections with all tables of symbols and indices */
    uint64_t contents_end[VIEW_COUNT]; /* file offset after the contents that were checked last */
    bool is_disordered[VIEW_COUNT];    /* some contents do not follow those of the section before */
    /* The kinds of records that each function has, as bits, by symbol index. NULL until the first
     * record of the view is found; see elf_check_functions.c. */
    uint8_t *function_records[VIEW_COUNT];
    uint32_t codes[ELF_CHECK_FEW_CODES]; /* indices of the first sections with a function's code */
    uint32_t code_count;
    /* The next four fields are about the attribute section that is being checked: */
    bool has_parameters;      /* it has a KPARAM_INFO record */
    bool has_parameter_bank;  /* it has a PARAM_CBANK record */
    uint32_t bank_parameters; /* size of the parameters according to PARAM_CBANK */
    uint32_t parameters_size; /* the same size according to CBANK_PARAM_SIZE */
    bool is_strict;           /* all rules apply; false while elf_view_open checks an executable */
    bool failed;
    bool stopped; /* the handler has ended the checks */
};

/* Returns true if checks that rely on earlier ones must not run, because those found a violation or
 * were stopped before their end. */
static inline bool elf_check_is_over(const struct elf_check *check)
{
    return check->failed || check->stopped;
}

/* Reports one violation in a section (section 0: in the headers of the file). Cold, like all
 * reports, so that the compiler keeps the code of reports away from the code that runs for valid
 * files. */
__attribute__((cold)) void elf_check_report(struct elf_check *check, enum elf_rule rule,
                                            uint32_t section, uint64_t index, uint64_t value);

/* The cost of each byte of a name, in units of elf_check.name_budget. Names of symbols and sections
 * cost more than prototypes, because they are copied to the output, some of them several times. In
 * a valid file each of these names has its own string, so together they are shorter than the file
 * (at most 0.3 times its size in 10,000 objects). Functions can share one string as their
 * prototype, which is read again for each function. */
enum name_cost { NAME_COST_PROTOTYPE = 1, NAME_COST_SYMBOL = 16 };

/* Names in string tables up to this size have no cost. They are so short that reading one for each
 * symbol takes little more time than reading the file. */
enum { ELF_SMALL_STRING_TABLE = 2 << 10 };

/* Subtracts the cost of a name in a string table from the budget. The budget limits how long a
 * small file can take: a string table of one long string can give thousands of symbols long names,
 * each of them a suffix of that string. Returns false if the name would use up the budget. Later
 * names are then no longer counted, so that the violation is reported only once. */
bool elf_check_afford_long_name(struct elf_check *check, const char *name, enum name_cost cost);
static inline bool elf_check_afford_name(struct elf_check *check, const char *strings,
                                         uint64_t strings_size, uint64_t offset,
                                         enum name_cost cost)
{
    return strings_size <= ELF_SMALL_STRING_TABLE || !check->name_budget ||
           elf_check_afford_long_name(check, strings + offset, cost);
}

/* The section with this index, which may be any number in the file. NULL for index 0, and if there
 * is no such section. */
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

/* Compares the name of each section with that of its owner, except names that were compared when
 * the file was opened (elf_check_needs_name). A link works even if they differ, because it names
 * the sections of a function itself. */
void elf_check_owner_names(struct elf_check *check);
void elf_check_owner_name(struct elf_check *check, const struct elf_section *section);

/* Whether the name of a section with an owner is checked when a file is opened to be linked. */
bool elf_check_needs_name(const struct elf_check *check, const struct elf_section *section);

/* In the strict check of an executable, notes the function that other code calls or whose address
 * it takes, according to a pair of the call graph. `heading` is that of the pair's group. Requires:
 * the call graph is checked before elf_check_functions is called. */
void elf_check_note_reference(struct elf_check *check, const struct elf_section *callgraph,
                              struct elf_pair pair, int32_t heading);

/* Strict checks of single attribute records, in elf_check_functions.c. elf_check_function_record
 * checks a record of a kind that each function has only once. Requires: the symbol of the record
 * exists. elf_check_parameter_bank checks the record that names the constant bank of a kernel's
 * parameters. */
void elf_check_function_record(struct elf_check *check, const struct elf_section *section,
                               uint64_t index, const struct info_record *record);
void elf_check_parameter_bank(struct elf_check *check, const struct elf_section *section,
                              uint64_t index, const struct info_record *record);

/* Notes a code section whose function exists. When all contents are checked, elf_check_functions
 * compares each noted section with its function, and reports records that the function lacks. */
void elf_check_note_code(struct elf_check *check, const struct elf_section *code);
void elf_check_functions(struct elf_check *check);

#endif
