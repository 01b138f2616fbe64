/* Reports undefined symbols.
 *
 * Requires: MERGED (symbols of the output), SPACES_CHECKED (its errors come first).
 * Makes: NAMES_CHECKED, errors.
 * Frozen after: nothing more.
 *
 * Reports each undefined symbol once, with the first object that refers to it, as nvlink 13.0.88
 * does. Notes list other references and possible causes. The data for notes is collected for all
 * undefined symbols together, and only if there are any.
 *
 * An undefined function is not reported if only removed functions call it, but an undefined
 * variable is reported even if only removed functions use it. Weak references and system functions
 * may remain undefined, and textures are bound by the host (observed with nvlink 13.0.88). */
#include <string.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "base/system_functions.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "link/image/other_images.h"
#include "link/input/input_state.h"
#include "link/input/libraries.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/notes/hints.h"
#include "link/notes/intermediates.h"
#include "link/notes/near_misses.h"
#include "link/notes/shown_name.h"
#include "link/notes/unlinkable_code.h"
#include "link/resolve/referrers.h"

/* The largest number of libraries, and of inputs, that notes name as possible causes. */
enum { MOST_CAUSES = 10 };

static bool is_declared_global(const struct symbol *symbol)
{
    uint8_t space = symbol->other & STO_CUDA_SPACE;
    return !space || space == STO_CUDA_GLOBAL;
}

static bool may_be_undefined(const link_context *link, const struct symbol *symbol)
{
    if (symbol->defined || symbol->common || symbol->linker_made || symbol->dropped)
        return true;
    if (symbol->binding == STB_WEAK || symbol->is_texture || symbol_is_extern_shared(symbol))
        return true;
    if (!symbol->function)
        return link->options.allow_undefined_globals && is_declared_global(symbol);
    return (!symbol->function->kept || system_function(symbol_name(symbol)));
}

static void warn_of_weak_variables(link_context *link, struct symbol *const *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (symbol_is_weak_undefined(symbols[i]) && !symbols[i]->dropped)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_WEAK_VARIABLE, NULL,
                              symbol_name(symbols[i]), symbol_name(symbols[i]));
}

/* Whether the symbol is a kernel without definition that nvlink 13.0.88 does not report, because it
 * has the name of a system function. The object that marks it as a kernel is probably damaged.
 * Returns false for weak kernels, which may remain undefined (observed with a weak kernel that
 * device code launches). */
static bool is_false_kernel(const link_context *link, const struct symbol *symbol)
{
    const struct function *function = symbol->function;
    bool is_undefined = !symbol->defined && !symbol->dropped && !symbol->linker_made;
    return function && function->entry && function->kept && is_undefined &&
           symbol->binding != STB_WEAK && may_be_undefined(link, symbol);
}

static void warn_of_false_kernels(link_context *link)
{
    for (size_t i = 0; i < link->output.globals_count; i++) {
        const struct symbol *symbol = link->output.globals[i];
        if (is_false_kernel(link, symbol))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNDEFINED_KERNEL, symbol->object->name,
                              symbol_name(symbol), symbol_name(symbol), symbol->object->name);
    }
}

/* Numbers the undefined symbols that are errors, from 1 (undefined_number). Returns how many there
 * are. */
static uint32_t number_names(link_context *link)
{
    uint32_t count = 0;
    for (size_t i = 0; i < link->output.globals_count; i++)
        if (!may_be_undefined(link, link->output.globals[i]))
            symbol_add_rare(link, link->output.globals[i])->undefined_number = ++count;
    return count;
}

/* The data for notes about the undefined symbols of a link. In each array, the element at index
 * undefined_number - 1 belongs to the symbol with this number. */
struct explanations {
    link_context *link;
    uint32_t count;
    struct referrers *referrers;
    struct other_definition *others;
    struct unlinkable_definition *unlinkable;
    struct near_misses misses;
    struct hints hints;
    bool *has_cause; /* for each symbol: a note states the cause or the remedy */
    bool has_named_intermediates;
    const struct referrers *last_referrers; /* the referrers that a note listed last */
    struct shown_referrers shown_referrers;
    /* Names of inputs in notes that were already reported: one table for each kind of note, with
     * struct name as entries. */
    struct name_table for_others;
    struct name_table with_static;
    struct name_table unlinkable_inputs;
};

/* Whether a note of this kind has already named the input. One input often defines many undefined
 * symbols, and a note that names only the input is not repeated. */
static bool is_said(struct name_table *said, const char *input)
{
    uint32_t before = said->count;
    name_table_intern(said, input);
    return said->count == before;
}

/* Names all inputs of LTO-IR if the reference is in the code that was compiled from them. That code
 * does not show from which input the reference comes. The note is reported only once in a link. */
static void report_origin(struct explanations *known, const struct symbol *symbol)
{
    link_context *link = known->link;
    if (symbol->object != link->input->optimised || known->has_named_intermediates)
        return;
    known->has_named_intermediates = true;
    report_intermediates(link, symbol_name(symbol));
}

static void report_definitions(struct explanations *known, const struct symbol *symbol,
                               uint32_t index)
{
    link_context *link = known->link;
    const char *name = symbol_name(symbol);
    const struct other_definition *other = &known->others[index];
    char target[16];
    link_target_name(link, target);
    if (other->unit && !is_said(&known->for_others, other->unit->name))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_DEFINED_ELSEWHERE, other->unit->name, name,
                          other->unit->name, other->targets, target);
    const struct symbol *local = name_uses(link, symbol->name)->first_local;
    bool is_static = local && local->defined;
    if (is_static && !is_said(&known->with_static, local->object->name))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_DEFINED_STATIC, local->object->name, name,
                          local->object->name);
    bool is_near_miss = near_misses_report(&known->misses, symbol);
    const struct unlinkable_definition *unlinkable = &known->unlinkable[index];
    known->has_cause[index] |= is_static || is_near_miss || other->unit || unlinkable->input;
    if (other->unit || !unlinkable->input)
        return;
    unlinkable_code_report(link, symbol, unlinkable);
    name_table_intern(&known->unlinkable_inputs, unlinkable->input);
}

/* Reports an undefined symbol with its notes. Successive symbols often have the same referrers,
 * which are then listed only for the first of these symbols. */
static void report_name(struct explanations *known, const struct symbol *symbol)
{
    link_context *link = known->link;
    const char *name = symbol_name(symbol);
    uint32_t index = symbol_rare(symbol)->undefined_number - 1;
    const struct referrers *referrers = &known->referrers[index];
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNDEFINED_REFERENCE, symbol->object->name,
                      name, name, symbol->object->name);
    link->tolerated_errors += link->options.output_undefined;
    if (!known->last_referrers || !referrers_are_same(known->last_referrers, referrers)) {
        referrers_report(link, &known->shown_referrers, referrers);
        known->last_referrers = referrers;
    }
    report_origin(known, symbol);
    report_definitions(known, symbol, index);
}

/* --------------------------------------------------------------------------------------------- */
/* Causes that may concern all undefined symbols */

static void report_hidden_libraries(link_context *link)
{
    size_t shown = 0;
    for (size_t i = 0; i < link->input->hidden_libraries_count && shown < MOST_CAUSES; i++) {
        const struct hidden_library *hidden = &link->input->hidden_libraries[i];
        if (!hidden->archive)
            continue;
        shown++;
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_HIDDEN, hidden->archive, NULL,
                          hidden->archive, hidden->name, hidden->shared);
    }
}

static void report_skipped_libraries(link_context *link)
{
    for (size_t i = 0; i < link->input->skipped_libraries_count && i < MOST_CAUSES; i++) {
        const struct skipped_library *skipped = &link->input->skipped_libraries[i];
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_SKIPPED, skipped->archive, NULL,
                          skipped->archive, skipped->name, skipped->reason);
    }
}

static void report_libraries(link_context *link)
{
    const struct name_table *missing = &link->input->missing_libraries;
    size_t count = missing->count;
    for (uint32_t i = 1; i <= count && i <= MOST_CAUSES; i++) {
        const struct name *name = name_table_entry(missing, i);
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_MISSING, NULL, NULL,
                          library_file_name(link, name->text), name->text);
    }
    if (count > MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARIES_MORE, NULL, NULL,
                          count - MOST_CAUSES);
}

/* Does nothing unless the file is without code and no note has named it as unlinkable. Adds 1 to
 * the count, and reports the file if it is one of the first MOST_CAUSES. */
static void report_if_empty(struct explanations *known, const struct input_file *file,
                            size_t *count)
{
    if (!file->is_without_code || name_table_find(&known->unlinkable_inputs, file->name) ||
        (*count)++ >= MOST_CAUSES)
        return;
    struct diagnostics *diagnostics = &known->link->diagnostics;
    if (unlinkable_code_is_in(file))
        diagnostic_report(diagnostics, DIAGNOSTIC_INPUT_WITHOUT_RDC, file->name, NULL, file->name);
    else if (file->unusable)
        diagnostic_report(diagnostics, DIAGNOSTIC_INPUT_UNUSABLE_NOTE, file->name, NULL, file->name,
                          file->unusable->description, file->unusable->remedy);
    else
        diagnostic_report(diagnostics, DIAGNOSTIC_INPUT_WITHOUT_CODE, file->name, NULL, file->name);
}

/* Reports an archive member without an image for the target. For a unit that is no archive member,
 * a warning was already reported. */
static void report_if_lacking_target(link_context *link, const struct input_unit *unit,
                                     size_t *count)
{
    char target[16];
    architecture_name(link->target, target);
    if (unit->lacks_target && unit->is_member && (*count)++ < MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FOR_OTHERS, unit->name, NULL,
                          unit->name, target);
}

static void report_useless_inputs(link_context *link, struct explanations *known)
{
    size_t count = 0;
    for (size_t i = 0; i < link->input->files_count; i++)
        report_if_empty(known, link->input->files[i], &count);
    for (size_t i = 0; i < link->input->libraries_count; i++)
        report_if_empty(known, link->input->libraries[i], &count);
    for (size_t i = 0; i < link->units_count; i++)
        report_if_lacking_target(link, link->units[i], &count);
    if (count > MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUTS_MORE, NULL, NULL,
                          count - MOST_CAUSES);
}

/* Adds the undefined symbols to near misses and hints, in the order of the output's symbols. */
static void add_names(struct explanations *known)
{
    const link_context *link = known->link;
    for (size_t i = 0; i < link->output.globals_count; i++) {
        const struct symbol *symbol = link->output.globals[i];
        if (!symbol_rare(symbol)->undefined_number)
            continue;
        near_misses_add(&known->misses, symbol);
        known->has_cause[symbol_rare(symbol)->undefined_number - 1] =
            hints_add(known->link, &known->hints, symbol);
    }
}

/* Collects the data for notes, for all undefined symbols together. */
static void explain_names(struct explanations *known)
{
    link_context *link = known->link;
    known->referrers = ARENA_ARRAY(&link->arena, struct referrers, known->count);
    known->others = ARENA_ARRAY(&link->arena, struct other_definition, known->count);
    known->unlinkable = ARENA_ARRAY(&link->arena, struct unlinkable_definition, known->count);
    known->has_cause = ARENA_ARRAY(&link->arena, bool, known->count);
    near_misses_init(&known->misses, link, known->count);
    shown_referrers_init(&known->shown_referrers, link);
    name_table_init(&known->for_others, &link->arena, sizeof(struct name));
    name_table_init(&known->with_static, &link->arena, sizeof(struct name));
    name_table_init(&known->unlinkable_inputs, &link->arena, sizeof(struct name));
    add_names(known);
    referrers_collect(link, known->referrers);
    other_images_search(link, known->others);
    near_misses_search(&known->misses);
    unlinkable_code_search(link, known->unlinkable);
}

/* Reports one note for all symbols that no other note explains. */
static void report_defined_nowhere(const struct explanations *known)
{
    link_context *link = known->link;
    const struct symbol *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < link->output.globals_count; i++) {
        const struct symbol *symbol = link->output.globals[i];
        uint32_t number = symbol_rare(symbol)->undefined_number;
        if (number && !known->has_cause[number - 1] && !count++)
            first = symbol;
    }
    if (!count)
        return;
    char target[16];
    link_target_name(link, target);
    const char *name = symbol_name(first), *shown = shown_name(&link->arena, name);
    if (count == 1)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_DEFINED_NOWHERE, NULL, name, shown,
                          target);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_SEVERAL_DEFINED_NOWHERE, NULL, name, shown,
                          count - 1, target);
}

void pass_undefined(link_context *link)
{
    const struct output *output = &link->output;
    if (!link->options.as_nvlink) { /* nvlink leaves such symbols to the driver without a message */
        warn_of_weak_variables(link, output->globals, output->globals_count);
        warn_of_weak_variables(link, output->local_symbols, output->local_symbols_count);
        warn_of_false_kernels(link);
    }
    struct explanations known = {.link = link, .count = number_names(link)};
    if (!known.count)
        return;
    explain_names(&known);
    for (size_t i = 0; i < link->output.globals_count; i++)
        if (symbol_rare(link->output.globals[i])->undefined_number)
            report_name(&known, link->output.globals[i]);
    hints_report(link, &known.hints);
    report_defined_nowhere(&known);
    report_libraries(link);
    report_hidden_libraries(link);
    report_skipped_libraries(link);
    report_useless_inputs(link, &known);
}
