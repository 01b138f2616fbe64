/* Checks the rules of elf_rules.def while a view is opened. Private to elf_view.c.
 *
 * The checks run in stages. A stage may rely on everything that earlier stages have checked. After
 * a violation, the other checks of the same stage still run, unless the handler stops them.
 *   1. section headers: the range of each section's contents, its view and its number of entries
 *   2. symbol tables: which sections they are, and their sizes
 *   3. links and owners of sections
 *   4. kinds of sections, and their contents: symbols, relocations, attributes, call graph, notes,
 *      and the records that each function must have
 * Each stage reads its bytes once, and no allocation depends on their values. */
#ifndef WARPLD_FORMAT_ELF_CHECK_H
#define WARPLD_FORMAT_ELF_CHECK_H

#include "base/arena.h"
#include "format/elf_view.h"
#include "format/info_record.h"

/* Capacity of elf_check.codes. Most objects do not have more functions. */
enum { ELF_CHECK_FEW_CODES = 16 };

struct elf_check {
    struct elf_view *view;
    struct arena *arena;
    elf_problem_handler *handler;
    void *context;
    /* The total cost that the names not yet read may have; see elf_check_afford_long_name. 0: names
     * have no cost, because the budget is used up and a violation was reported, or because
     * elf_view_open has already counted the names. */
    uint64_t name_budget;
    /* Stage 1 sets the next four fields for later stages: */
    uint32_t first_table, end_tables;  /* see note_table in elf_check.c */
    uint64_t contents_end[VIEW_COUNT]; /* file offset after the previous section's contents */
    bool is_disordered[VIEW_COUNT];    /* see note_order in elf_check.c */
    /* By symbol index: the kinds of records that the function has, as bits. NULL until the first
     * record of the view is found; see elf_check_functions.c. */
    uint8_t *function_records[VIEW_COUNT];
    /* Section indices of the code that elf_check_note_code has received. code_count is the number
     * of all such sections; the array has only the first ones if it is too small. */
    uint32_t codes[ELF_CHECK_FEW_CODES];
    uint32_t code_count;
    /* The next four fields describe the attribute section that is being checked: */
    bool has_parameters;      /* the section has a KPARAM_INFO record */
    bool has_parameter_bank;  /* the section has a PARAM_CBANK record */
    uint32_t bank_parameters; /* size of the parameters in bytes, according to PARAM_CBANK */
    uint32_t parameters_size; /* this size according to CBANK_PARAM_SIZE, or a value of the enum in
                                 elf_check_attributes.c */
    bool is_strict; /* strict rules apply; false while elf_view_open checks an executable */
    bool failed;
    bool stopped; /* the handler has ended the checks */
};

/* Returns true if the next stage must not run, because a violation was found or the handler has
 * stopped the checks. */
static inline bool elf_check_is_over(const struct elf_check *check)
{
    return check->failed || check->stopped;
}

/* Reports one violation in a section (section 0: in the headers of the file). The attribute "cold"
 * makes the compiler separate the code of all reports from the code that runs for valid files. */
__attribute__((cold)) void elf_check_report(struct elf_check *check, enum elf_rule rule,
                                            uint32_t section, uint64_t index, uint64_t value);

/* The cost of a name per byte, in units of elf_check.name_budget. A byte of a symbol's or section's
 * name costs 16, because these names are copied to the output, some of them several times. Valid
 * files can afford this: the names do not share strings, so together they are shorter than the file
 * (at most 0.3 times its size in 10,000 objects). A byte of a prototype costs only 1, because many
 * functions share one prototype string in valid files, and it is read once for each function. */
enum name_cost { NAME_COST_PROTOTYPE = 1, NAME_COST_SYMBOL = 16 };

/* Names in string tables up to this size in bytes have no cost. They are so short that reading one
 * for each symbol takes little more time than reading the file. */
enum { ELF_SMALL_STRING_TABLE = 2 << 10 };

/* Subtracts the cost of a name from the budget. Returns false if the name would use up the budget;
 * then the caller reports a violation, and all later names have no cost. The budget limits the time
 * that a small file can take: thousands of symbols can have long names that are suffixes of one
 * long string. */
bool elf_check_afford_long_name(struct elf_check *check, const char *name, enum name_cost cost);
static inline bool elf_check_afford_name(struct elf_check *check, const char *strings,
                                         uint64_t strings_size, uint64_t offset,
                                         enum name_cost cost)
{
    return strings_size <= ELF_SMALL_STRING_TABLE || !check->name_budget ||
           elf_check_afford_long_name(check, strings + offset, cost);
}

/* Returns the section with the given index. Returns NULL for index 0, and if no section has this
 * index. The index may be an unchecked number from the file. */
static inline const struct elf_section *elf_check_section(const struct elf_check *check,
                                                          uint32_t index)
{
    const struct elf_view *view = check->view;
    return index && index < view->section_count ? &view->sections[index] : NULL;
}

/* Returns the symbol table of the section's view. Symbol indices in the section refer to it. */
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

/* Check one section with records of attributes. elf_check_attributes checks .nv.info and
 * .nv.info.NAME, and sets section->has_fragments. elf_check_compatibility checks .nv.compat. Its
 * records have the same form, but their codes have other meanings, so only the form is checked. */
void elf_check_attributes(struct elf_check *check, struct elf_section *section);
void elf_check_compatibility(struct elf_check *check, const struct elf_section *section);

/* Compares the names of sections with the names of their owners. elf_check_owner_names does so for
 * all sections that elf_view_open has not compared; see elf_check_needs_name. */
void elf_check_owner_names(struct elf_check *check);
void elf_check_owner_name(struct elf_check *check, const struct elf_section *section);

/* Returns true if elf_view_open must compare the section's name with the name of its owner. */
bool elf_check_needs_name(const struct elf_check *check, const struct elf_section *section);

/* Records that a pair of the call graph refers to a function: code calls the function or takes its
 * address. Needed for the strict check of an executable; does nothing in other checks. `heading` is
 * the heading of the pair's group. Requires: elf_check_functions was not called yet. */
void elf_check_note_reference(struct elf_check *check, const struct elf_section *callgraph,
                              struct elf_pair pair, int32_t heading);

/* Apply the strict rules to one attribute record. Require: the symbol of the record exists.
 *   elf_check_function_record  a record with a symbol and a number; checks only the kinds of which
 *                              each function has at most one record
 *   elf_check_parameter_bank   a PARAM_CBANK record, which names the constant bank of a kernel's
 *                              parameters */
void elf_check_function_record(struct elf_check *check, const struct elf_section *section,
                               uint64_t index, const struct info_record *record);
void elf_check_parameter_bank(struct elf_check *check, const struct elf_section *section,
                              uint64_t index, const struct info_record *record);

/* elf_check_note_code adds a code section to a list. Requires: its function exists. After all
 * contents are checked, elf_check_functions compares each section of the list with its function,
 * and reports records that the function lacks. */
void elf_check_note_code(struct elf_check *check, const struct elf_section *code);
void elf_check_functions(struct elf_check *check);

#endif
