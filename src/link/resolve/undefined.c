/* Reports undefined symbols.
 *
 * Requires: MERGED (symbols of the output), SPACES_CHECKED (its errors come first).
 * Makes: NAMES_CHECKED, errors.
 * Frozen after: nothing more.
 *
 * Reports each undefined symbol once, with the first object that refers to it, as nvlink 13.0.88
 * does. Notes list other references and possible causes; the data for notes is collected only if
 * there is an undefined symbol, for all of them together.
 *
 * A function that only removed functions call is not reported, a variable that only they use is.
 * Weak references and functions of the driver may remain undefined, and textures are bound by the
 * host (observed with nvlink 13.0.88). */
#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/system_symbols.h"
#include "link/input/input_state.h"
#include "link/input/other_images.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/resolve/referrers.h"

/* The maximum number of libraries, and of inputs, that notes name as possible causes. */
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

static uint32_t number_names(link_context *link)
{
    uint32_t count = 0;
    for (size_t i = 0; i < link->output.globals_count; i++)
        if (!may_be_undefined(link, link->output.globals[i]))
            symbol_add_rare(link, link->output.globals[i])->undefined_number = ++count;
    return count;
}

static void report_name(link_context *link, const struct symbol *symbol,
                        const struct referrers *referrers, const struct other_definition *other)
{
    const char *name = symbol_name(symbol);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNDEFINED_REFERENCE, symbol->object->name,
                      name, name, symbol->object->name);
    link->tolerated_errors += link->options.output_undefined;
    referrers_report(link, referrers);
    if (other->unit)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_DEFINED_ELSEWHERE, other->unit->name, name,
                          other->unit->name, other->targets);
    const struct symbol *local = name_uses(link, symbol->name)->first_local;
    if (local && local->defined)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_DEFINED_STATIC, local->object->name, name,
                          local->object->name);
}

/* --------------------------------------------------------------------------------------------- */
/* Causes that may concern all undefined symbols */

static void report_hidden_libraries(link_context *link)
{
    for (size_t i = 0; i < link->input->hidden_libraries_count && i < MOST_CAUSES; i++) {
        const struct hidden_library *hidden = &link->input->hidden_libraries[i];
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
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARY_MISSING, NULL, NULL, name->text,
                          name->text);
    }
    if (count > MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_LIBRARIES_MORE, NULL, NULL,
                          count - MOST_CAUSES);
}

/* Names the first such files, and counts all. */
static void report_if_empty(link_context *link, const struct input_file *file, size_t *count)
{
    if (!file->is_without_code || (*count)++ >= MOST_CAUSES)
        return;
    if (file->unusable)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_UNUSABLE_NOTE, file->name, NULL,
                          file->name, file->unusable);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_WITHOUT_CODE, file->name, NULL,
                          file->name);
}

/* Only for archive members: other units have had a warning. */
static void report_if_lacking_target(link_context *link, const struct input_unit *unit,
                                     size_t *count)
{
    char target[16];
    architecture_name(link->target, target);
    if (unit->lacks_target && unit->is_member && (*count)++ < MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_FOR_OTHERS, unit->name, NULL,
                          unit->name, target);
}

static void report_useless_inputs(link_context *link)
{
    size_t count = 0;
    for (size_t i = 0; i < link->input->files_count; i++)
        report_if_empty(link, link->input->files[i], &count);
    for (size_t i = 0; i < link->input->libraries_count; i++)
        report_if_empty(link, link->input->libraries[i], &count);
    for (size_t i = 0; i < link->units_count; i++)
        report_if_lacking_target(link, link->units[i], &count);
    if (count > MOST_CAUSES)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUTS_MORE, NULL, NULL,
                          count - MOST_CAUSES);
}

void pass_undefined(link_context *link)
{
    uint32_t count = number_names(link);
    if (!count)
        return;
    struct referrers *referrers = ARENA_ARRAY(&link->arena, struct referrers, count);
    struct other_definition *others = ARENA_ARRAY(&link->arena, struct other_definition, count);
    referrers_collect(link, referrers);
    other_images_search(link, others);
    for (size_t i = 0; i < link->output.globals_count; i++) {
        uint32_t number = symbol_rare(link->output.globals[i])->undefined_number;
        if (number)
            report_name(link, link->output.globals[i], &referrers[number - 1], &others[number - 1]);
    }
    report_libraries(link);
    report_hidden_libraries(link);
    report_skipped_libraries(link);
    report_useless_inputs(link);
}
