/* Makes the output's lists of relocations, and collects for each the input lists that its entries
 * come from.
 *
 * Part of pass_merge; runs after the object's sections are merged. pass_scan decides later whether
 * an entry is kept or resolved. But pass_merge must know which entries are read, and which of them
 * have an addend. These facts decide which lists are made, and so which names are in the string
 * tables. */
#include "base/arena.h"
#include "base/trace.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/merge/merge.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/model/views.h"
#include "link/relocate/relocations.h"
#include "link/resolve/discarded_ranges.h"

/* Whether the input list leaves the name of an empty list in the output. nvlink makes an empty
 * .rel.X beside .rela.X when any entry but the first has addend 0. If the entry is against a
 * section symbol, its addend includes the offset at which the object's part of that section begins.
 * The empty list never reaches the output, but its name does. This was observed on 660 sections of
 * sm_90 objects, with each subset of the entries of a .rela.debug_info for sm_80 and sm_90, and in
 * 160 links for sm_90 with four entries each that refer to a variable, to the start of a part, or
 * to an offset in it. */
static bool leaves_rel_name(const struct input_object *object, const struct elf_section *input)
{
    bool is_first = true; /* the first entry that is read */
    for (uint32_t i = 0; elf_section_has_addends(input) && i < input->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(input, i);
        if (!relocation_is_read(object, input, &entry))
            continue;
        if (!is_first && entry.addend == 0 && !relocation_is_to_later_part(object, input, &entry))
            return true;
        is_first = false;
    }
    return false;
}

/* What kinds of entries one input list has. An entry that gains an addend counts as one with an
 * addend (observed). --force-rela is not considered here; it is applied later. */
struct entry_kinds {
    uint32_t count[2];  /* number of entries without addends, and with addends */
    bool addends_first; /* the first entry that is read has an addend */
    bool leaves_rel_name;
};

/* Whether all entries of the list are read and have addends. For such a list, kinds_of_plain rarely
 * examines the entries: only if has_late_zeros, which the ELF reader has set, is true. */
static bool list_is_plain(const struct input_object *object, const struct elf_section *input)
{
    return elf_section_has_addends(input) && !object->has_discarded;
}

static struct entry_kinds kinds_of_plain(const struct input_object *object,
                                         const struct elf_section *input)
{
    return (struct entry_kinds){.count = {0, input->entry_count},
                                .addends_first = true,
                                .leaves_rel_name =
                                    input->has_late_zeros && leaves_rel_name(object, input)};
}

/* Counts the entries that are read, with and without addends. */
static struct entry_kinds kinds_of_entries(const struct input_object *object,
                                           const struct elf_section *input)
{
    uint32_t with = 0, without = 0;
    bool addends_first = false;
    for (uint32_t i = 0; i < input->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(input, i);
        if (!relocation_is_read(object, input, &entry))
            continue;
        bool with_addend =
            elf_section_has_addends(input) || relocation_gains_addend(object, input, &entry);
        if (!with && !without)
            addends_first = with_addend;
        with += with_addend;
        without += !with_addend;
    }
    return (struct entry_kinds){.count = {without, with},
                                .addends_first = addends_first,
                                .leaves_rel_name = leaves_rel_name(object, input)};
}

static bool lists_resolved(const link_context *link)
{
    return link->options.preserve_relocations && !link->options.relocatable;
}

/* Makes the list of resolved relocations, after the first list of entries (observed). */
static void add_resolved(link_context *link, struct output_section *target)
{
    if (!lists_resolved(link) || output_rare(target)->resolved)
        return;
    struct linked_name *name = link_join_name(link, ".nv.resolvedrela", output_merged_name(target));
    struct output_section *resolved = output_add_as(link, name, SHAPE_RESOLVED_RELA);
    resolved->names_symbols = true;
    resolved->info = target;
    output_add_rare(link, target)->resolved = resolved;
    if (output_counterpart(target))
        output_add_rare(link, output_counterpart(target))->resolved = output_counterpart(resolved);
}

static struct output_section *new_list(link_context *link, struct output_section *target,
                                       bool with_addends)
{
    if (!with_addends && target->bare_list && target->rank == RANK_TEXT)
        return output_fill_bare_name(link, target->bare_list - 1, SHAPE_REL);
    return output_add_as(link, link_list_name(link, target->name, with_addends),
                         with_addends ? SHAPE_RELA : SHAPE_REL);
}

/* Returns true when the list is new. */
static bool add_relocation_section(link_context *link, struct output_section *target,
                                   bool with_addends)
{
    struct output_section **list = with_addends ? &target->rela : &target->rel;
    if (*list)
        return false;
    *list = new_list(link, target, with_addends);
    (*list)->names_symbols = true;
    (*list)->info = target;
    return true;
}

struct output_section *merge_relocation_list(link_context *link, struct output_section *target,
                                             bool with_addends)
{
    if (add_relocation_section(link, target, with_addends)) {
        add_resolved(link, target);
        if (output_counterpart(target) && with_addends)
            output_counterpart(target)->rela = output_counterpart(target->rela);
    }
    return with_addends ? target->rela : target->rel;
}

/* Leaves the name of an empty .rel list in the string tables. Code has many empty lists, so only a
 * bare name is kept for each. Empty lists of other sections are created, because their order of
 * creation decides the order of sections in the file. */
static void leave_rel_list(link_context *link, struct output_section *target)
{
    bool is_light =
        target->rank == RANK_TEXT && !link_has_mercury(link) && !link->options.relocatable;
    if (!is_light) {
        merge_relocation_list(link, target, false);
    } else if (!target->rel && !target->bare_list) {
        target->bare_list =
            output_add_bare_name(link, link_list_name(link, target->name, false)) + 1;
        add_resolved(link, target);
    }
}

/* Whether the list relocates compiler-made constants that remain of a discarded copy. In the
 * Mercury form, these are relocated, too (observed). */
static bool keeps_discarded_entries(const link_context *link, const struct input_object *object,
                                    const struct elf_section *target, uint32_t function)
{
    return link_has_mercury(link) && object->copies[function] == COPY_DISCARDED &&
           section_type_constant_bank(target->type) == CONSTANT_BANK_COMPILER &&
           function_rare(object->symbols[function]->function)->first_constants;
}

/* The output section that an input list relocates; NULL if the list is left out. A superseded copy
 * still makes the lists of its sections, although only entries of the used copy fill them. */
static struct output_section *relocation_target(const link_context *link,
                                                const struct input_object *object,
                                                const struct elf_section *target)
{
    struct output_section *home = object->contributions[target->index].section;
    if (home)
        return home;
    uint32_t index = 0;
    struct symbol *symbol = input_section_function(object, target, &index);
    if (!symbol || !symbol->function || !symbol->function->kept)
        return NULL;
    const struct rare_function *rare = function_rare(symbol->function);
    if (keeps_discarded_entries(link, object, target, index))
        return output_counterpart(rare->first_constants) ? rare->first_constants : NULL;
    if (object->copies[index] != COPY_SUPERSEDED)
        return NULL;
    if (input_section_kind(target) == INPUT_TEXT)
        return symbol->function->text;
    if (section_type_constant_bank(target->type) == 0)
        return symbol->function->parameters;
    return symbol->function->entry ? rare->own_constants : NULL;
}

struct chunk merge_relocation_chunk(link_context *link, struct input_object *object, uint32_t input)
{
    struct chunk chunk = chunk_of(object, input, link->relocation_count);
    link->relocation_count += chunk.input->entry_count;
    return chunk;
}

/* An input list and its counterpart in the other view. The two lists correspond entry by entry,
 * except that the list of Mercury code can have more entries. */
struct entries {
    struct chunk own;
    struct chunk other; /* its object is NULL if there is no counterpart */
};

static struct entries take_entries(link_context *link, struct input_object *object, uint32_t input)
{
    uint32_t other = link_has_mercury(link) ? object->other_view[input] : 0;
    struct entries entries = {.own = merge_relocation_chunk(link, object, input)};
    if (other)
        entries.other = merge_relocation_chunk(link, object, other);
    return entries;
}

static void append_entries(link_context *link, struct output_section *output,
                           const struct entries *entries)
{
    const struct chunk *own = &entries->own;
    if (own->input->view == VIEW_MERCURY)
        output = output_counterpart(output);
    *output_add_chunk(link, output) = *own;
    if (entries->other.object)
        *output_add_chunk(link, output_counterpart(output)) = entries->other;
}

/* Traces that the constants of a discarded copy have a list of relocations. */
static void trace_discarded_relocations(link_context *link, const struct input_object *object,
                                        const struct elf_section *target)
{
    uint32_t index = 0;
    const struct symbol *owner = input_section_function(object, target, &index);
    if (owner && input_section_kind(target) == INPUT_CONSTANT_ENTRY &&
        object->copies[index] == COPY_DISCARDED)
        TRACE(&link->trace, TRACE_WEAK_RELOCATIONS, symbol_name(owner));
}

/* Adds the name of the list of resolved relocations for the constants of a device function. From
 * sm_100 on the output has this name, although the constants are moved to the kernels (observed).
 */
static void leave_resolved_name(link_context *link, const struct input_object *object,
                                const struct elf_section *target)
{
    if (!link_has_mercury(link) || !lists_resolved(link) ||
        !object->contributions[target->index].set_aside)
        return;
    const char *bank = views_merged_name(link, link_intern(link, target->name))->name.text;
    const char *name = arena_join(&link->arena, ".nv.resolvedrela", bank);
    output_add_shared(link, name, SHAPE_RESOLVED_RELA);
}

/* With --force-rela the list without addends never reaches the output, but its name does. */
static struct output_section *list_of_kind(link_context *link, struct output_section *home,
                                           bool with_addends)
{
    if (!with_addends && link->options.force_addends)
        add_relocation_section(link, home, false);
    return merge_relocation_list(link, home, with_addends || link->options.force_addends);
}

/* Makes a list for each kind of entries (with and without addends) in the input list, first for the
 * kind of the first entry. Appends the input list to each of them: pass_scan later picks from it
 * the entries of the list's kind. Nothing is appended if the input section that the list relocates
 * contributes nothing to the output. */
void merge_relocations(link_context *link, struct input_object *object,
                       const struct elf_section *input)
{
    uint32_t native = input->view == VIEW_MERCURY ? object->other_view[input->info] : input->info;
    const struct elf_section *target = &object->elf.sections[native];
    struct output_section *home = relocation_target(link, object, target);
    if (!home) {
        leave_resolved_name(link, object, target);
        trace_discarded_relocations(link, object, target);
        return;
    }
    struct entry_kinds kinds = list_is_plain(object, input) ? kinds_of_plain(object, input)
                                                            : kinds_of_entries(object, input);
    struct entries entries = take_entries(link, object, input->index);
    for (int i = 0; i < 2; i++) {
        bool with_addends = (i == 0) == kinds.addends_first;
        if (!kinds.count[with_addends])
            continue;
        struct output_section *output = list_of_kind(link, home, with_addends);
        bool is_appended = link->options.force_addends && i && kinds.count[!with_addends];
        if (object->contributions[input->info].section && !is_appended)
            append_entries(link, output, &entries);
    }
    if (kinds.leaves_rel_name && !link_follows(link, RELEASE_LEAVES_NO_REL_NAMES))
        leave_rel_list(link, home);
}
