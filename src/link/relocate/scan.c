/* Decides what becomes of each relocation. The bytes are written later.
 *
 * Requires: NEEDS_KNOWN (addresses, all records), RELINKABLE (with -r: which commons have
 * addresses), REPORTED (the lines of -v precede this pass's errors), DESCRIBED (pass_metadata
 * counts records about symbols that this pass drops).
 * Makes: SCANNED, how many entries each relocation section keeps, the size of attribute sections,
 * which symbols are dropped for good.
 * Frozen after: RELOCATIONS.
 *
 * Reports relocations that cannot be honoured. */
#include <stdatomic.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/relocate/relocate_state.h"
#include "link/relocate/relocations.h"

static void report_relocation(link_context *link, const struct input_object *object,
                              const struct elf_section *relocations,
                              const struct elf_relocation *entry, enum diagnostic_name error)
{
    const struct elf_section *relocated = &object->elf.sections[relocations->info];
    struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, entry->symbol);
    const struct relocation_type *type = relocation_type_find(entry->type);
    const char *kind =
        type ? type->name : arena_format(&link->arena, "of unknown type 0x%x", entry->type);
    diagnostic_report(&link->diagnostics, error, object->name, symbol.name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_RELOCATION_PLACE, object->name, symbol.name,
                      object->name, relocated->name, (unsigned long long)entry->offset, kind,
                      *symbol.name ? symbol.name : "(none)");
}

/* Drops LOCAL variables whose section is not in the output, because no other object can define
 * them. */
static void drop_removed_locals(link_context *link)
{
    for (size_t i = 0; i < link->output.local_symbols_count; i++) {
        struct symbol *symbol = link->output.local_symbols[i];
        if (symbol->binding == STB_LOCAL && !symbol->function &&
            (link->options.relocatable ? symbol->defined && !symbol->section
                                       : !symbol->section || symbol->section->dropped))
            symbol->dropped = true;
    }
}

static bool has_symbol(const struct relocation_decision *decision)
{
    if (decision->symbol)
        return decision->symbol->created && !decision->symbol->name_only &&
               !decision->symbol->dropped;
    return !decision->section || output_section_has_symbol(decision->section);
}

/* Traces the offset that a relocation field has in the output in two cases: parts of the field's
 * section were moved separately, or the section's constants were copied to the banks of kernels. */
static void trace_field(link_context *link, const struct input_object *object,
                        const struct elf_section *relocations, const struct elf_relocation *entry)
{
    const struct contribution *home = &object->contributions[relocations->info];
    uint64_t offset = 0;
    if (!home->section || home->section->rank == RANK_DEBUG ||
        !contribution_offset(object, relocations->info, entry->offset, &offset))
        return;
    unsigned long long from = entry->offset, to = offset;
    if (contribution_is_moved(object, relocations->info))
        TRACE(&link->trace, TRACE_RELOCATION_MOVED, home->section->creation, from, to);
    else if (home->set_aside && from != to)
        TRACE(&link->trace, TRACE_RELOCATION_COPIED, from, to);
}

static void trace_unified(link_context *link, const struct input_object *object,
                          const struct elf_relocation *entry,
                          const struct relocation_decision *decision)
{
    const struct relocation_type *type = relocation_type_find(entry->type);
    const struct symbol *symbol = object->symbols[entry->symbol];
    bool replaces = !link->options.relocatable && !link->options.unified_index;
    if (replaces && type && type->replacement && decision->action != ACTION_FAIL)
        TRACE(&link->trace, TRACE_UNIFIED_REPLACED, entry->type, type->replacement);
    if (symbol && symbol->linker_made == LINKER_SYMBOL_CODE_OFFSET &&
        decision->action == ACTION_DROP)
        TRACE(&link->trace, TRACE_UNIFIED_IGNORED);
}

static void trace_relocation(link_context *link, const struct input_object *object,
                             const struct elf_section *relocations,
                             const struct elf_relocation *entry,
                             const struct relocation_decision *decision)
{
    trace_field(link, object, relocations, entry);
    trace_unified(link, object, entry, decision);
}

/* Turns the decision to keep an entry into a failure if the output has no symbol for it. */
static void require_symbol(struct relocation_decision *decision)
{
    if (decision->action != ACTION_KEEP || has_symbol(decision))
        return;
    *decision = (struct relocation_decision){.action = ACTION_FAIL,
                                             .error = DIAGNOSTIC_RELOCATION_DELETED_SYMBOL};
}

/* Returns the native section that a list patches. This section stores the facts about the lists of
 * both views. */
static const struct output_section *native_target(const struct output_section *list)
{
    return list->view == VIEW_MERCURY ? output_counterpart(list)->info : list->info;
}

static struct output_section *resolved_list(const struct output_section *list)
{
    const struct output_section *target = native_target(list);
    bool is_mercury = list->view == VIEW_MERCURY;
    return is_mercury ? output_rare(output_counterpart(target))->resolved
                      : output_rare(target)->resolved;
}

/* Traces and reports an entry, and counts it for the list of resolved relocations. */
static void report_entry(link_context *link, const struct output_section *output,
                         const struct input_object *object, const struct elf_section *relocations,
                         const struct elf_relocation *entry,
                         const struct relocation_decision *decision)
{
    if (link->trace.categories)
        trace_relocation(link, object, relocations, entry, decision);
    if (decision->action == ACTION_FAIL)
        report_relocation(link, object, relocations, entry, decision->error);
    if (relocation_is_listed(link, native_target(output), decision))
        resolved_list(output)->size += ELF_RELA_SIZE;
}

/* True for entries that are in the output exactly as they were read. Most entries are, and the
 * writer need not decide these again. */
static bool decision_is_plain(const struct input_object *object,
                              const struct elf_section *relocations,
                              const struct elf_relocation *entry,
                              const struct relocation_decision *decision)
{
    return decision->action == ACTION_KEEP && decision->symbol && !decision->shift &&
           decision->symbol == object->symbols[entry->symbol] && decision->number == entry->type &&
           relocations->view == VIEW_NATIVE && elf_section_has_addends(relocations) &&
           !contribution_is_moved(object, relocations->info);
}

static uint8_t stored_action(const struct input_object *object,
                             const struct elf_section *relocations,
                             const struct elf_relocation *entry,
                             const struct relocation_decision *decision, bool with_addend)
{
    unsigned flags = relocation_shifts_bytes(decision, with_addend)            ? ENTRY_SHIFTS_BYTES
                     : decision_is_plain(object, relocations, entry, decision) ? ENTRY_IS_PLAIN
                                                                               : 0;
    return (uint8_t)((unsigned)decision->action | flags);
}

static bool changes_bytes(uint8_t action)
{
    return action & ENTRY_SHIFTS_BYTES || action == ACTION_WRITE || action == ACTION_CLEAR;
}

/* The state while the lists of relocations are scanned, on several threads. */
struct scanning {
    link_context *link;
    bool reports; /* also trace and report the entries; only one thread then scans, in order */
    atomic_bool has_failed;
};

/* Decides those entries of a chunk that belong in the list `output`. Other entries of the chunk can
 * belong in the other list of the same section, see relocation_has_addend. Stores the actions of
 * the entries and adds the kept entries to the size of the list. */
static void scan_chunk(struct scanning *scanning, struct output_section *output,
                       const struct chunk *chunk)
{
    link_context *link = scanning->link;
    struct input_object *object = chunk->object;
    const struct elf_section *relocations = chunk->input;
    uint8_t *actions = &link->relocate->actions[chunk->offset];
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        bool gains_addend = relocation_gains_addend(object, relocations, &entry);
        bool with_addend = relocation_has_addend(link, relocations, gains_addend);
        if (with_addend != (output->entry_size == ELF_RELA_SIZE))
            continue;
        struct relocation_decision decision = relocation_decide(link, object, relocations, &entry);
        require_symbol(&decision);
        actions[i] = stored_action(object, relocations, &entry, &decision, with_addend);
        output->changes_bytes |= changes_bytes(actions[i]);
        if (scanning->reports)
            report_entry(link, output, object, relocations, &entry, &decision);
        else if (decision.action == ACTION_FAIL)
            scanning->has_failed = true;
        if (decision.action == ACTION_KEEP)
            output->size += output->entry_size;
    }
}

static void scan_relocations(struct scanning *scanning, struct output_section *section)
{
    section->size = output_rare(section)->added_count * (uint64_t)section->entry_size;
    for (size_t c = 0; c < section->chunks_count; c++)
        scan_chunk(scanning, section, &section->chunks[c]);
    const struct rare_section *rare = output_rare(section);
    for (size_t c = 0; c < rare->late_chunks_count; c++)
        scan_chunk(scanning, section, &rare->late_chunks[c]);
    section->dropped = section->size == 0;
}

static bool is_resolved_list(const struct output_section *section)
{
    return section->type == SHT_CUDA_RESOLVED_RELA || section->type == SHT_MERCURY_RESOLVED_RELA;
}

/* Computes the size of an attribute section. If it has no records it is dropped, but its name
 * remains in the string tables. */
static void scan_records(struct output_section *section)
{
    section->size = records_size(section);
    if (!output_counterpart(section)) /* drop_empty_records drops sections with a counterpart */
        section->dropped = !section->size;
}

static void scan_section(void *context, unsigned worker, size_t index)
{
    struct scanning *scanning = context;
    struct output_section *section = scanning->link->output.sections[index];
    (void)worker;
    if (section->content == CONTENT_RELOCATIONS && !is_resolved_list(section))
        scan_relocations(scanning, section);
    else if (section->content == CONTENT_RECORDS)
        scan_records(section);
}

/* Scans all lists on several threads, which report nothing. Failures must be reported in the order
 * of the sections. So if an entry fails, one thread scans all sections again and reports the
 * failures. */
static void scan_sections(link_context *link)
{
    enum { SECTIONS_OF_A_WORKER = LARGE_FROM(1000, 1) };
    struct scanning scanning = {
        .link = link, .reports = link->trace.categories || link->options.preserve_relocations};
    size_t count = link->output.sections_count;
    link->relocate->actions = ARENA_ARRAY(&link->arena, uint8_t, link->relocation_count);
    unsigned workers = scanning.reports ? 1 : link_workers(link, count / SECTIONS_OF_A_WORKER);
    parallel_for(workers, count, scan_section, &scanning);
    if (!scanning.has_failed)
        return;
    scanning.reports = true;
    parallel_for(1, count, scan_section, &scanning);
}

/* Drops empty lists of resolved relocations. report_entry has counted the entries of these
 * lists. */
static void size_resolved(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        if (!is_resolved_list(section))
            continue;
        section->dropped = section->size == 0;
    }
}

/* Drops attribute sections that are empty in both views. */
static void drop_empty_records(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        const struct output_section *counterpart = output_counterpart(section);
        if (section->content == CONTENT_RECORDS && counterpart)
            section->dropped = !section->size && !counterpart->size;
    }
}

/* Keeps a list without entries if its counterpart in the other view has some (observed with native
 * lists). */
static void keep_empty_lists(link_context *link)
{
    for (size_t i = 0; i < link->output.sections_count; i++) {
        struct output_section *section = link->output.sections[i];
        if (section->content == CONTENT_RELOCATIONS && output_counterpart(section) &&
            !output_counterpart(section)->dropped)
            section->dropped = false;
    }
}

void pass_scan(link_context *link)
{
    link->relocate->precedes_volta = inputs_precede_volta(link);
    drop_removed_locals(link);
    scan_sections(link);
    if (link->options.preserve_relocations)
        size_resolved(link);
    if (link_has_mercury(link)) {
        drop_empty_records(link);
        keep_empty_lists(link);
    }
}
