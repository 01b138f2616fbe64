/* Makes the output's lists of relocations, and appends to each list the input lists that contain
 * its entries.
 *
 * Part of pass_merge; runs after the object's sections are merged. pass_scan decides later whether
 * an entry is kept or resolved. But pass_merge must already know which entries the link reads, and
 * which of them have an addend. This decides which lists are made, and so which names are in the
 * string tables. */
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

/* Whether the input list leaves the name of an empty REL list in the output. nvlink makes an empty
 * .rel.X in addition to .rela.X if any entry but the first has addend 0. The list is not written,
 * but its name is. If an entry refers to a section symbol, the addend counts from the start of the
 * output section: it is not 0 if the object's part of the section begins later.
 *
 * Observed on 660 sections of sm_90 objects, with each subset of the entries of a .rela.debug_info
 * for sm_80 and sm_90, and in 160 links for sm_90 with four entries each. These entries refer to a
 * variable, to the start of a part, or to an offset in a part. */
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

/* The kinds of entries that one input list has. An entry that gains an addend counts as an entry
 * with addend (observed). --force-rela is not considered here; list_of_kind applies it. */
struct entry_kinds {
    uint32_t count[2];  /* number of entries that are read: [0] without addend, [1] with addend */
    bool addends_first; /* the first entry that is read has an addend */
    bool leaves_rel_name;
};

/* Whether all entries of the list are read and have addends. If so, the entries need not be
 * examined, except by leaves_rel_name, and this only if the ELF reader has set has_late_zeros. */
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

/* Examines each entry of the list, and counts the entries that are read, with and without
 * addend. */
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

/* Makes the list of resolved relocations of `target`. nvlink makes it directly after the first list
 * of relocations (observed). */
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

/* Makes the list of the section with or without addends if there is none. Returns true if it made
 * the list. */
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

/* Leaves the name of an empty .rel list in the string tables. Many sections of code have such a
 * list, so only a bare name is added for each of these. For other sections the list itself is made,
 * because the order in which sections are created decides their order in the file. */
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

/* Whether `target` has compiler-made constants of a discarded copy whose relocations are merged.
 * They are merged only in the Mercury form (observed). */
static bool keeps_discarded_entries(const link_context *link, const struct input_object *object,
                                    const struct elf_section *target, uint32_t function)
{
    return link_has_mercury(link) && object->copies[function] == COPY_DISCARDED &&
           section_type_constant_bank(target->type) == CONSTANT_BANK_COMPILER &&
           function_rare(object->symbols[function]->function)->first_constants;
}

/* Returns the output section that an input list relocates, or NULL if the list is left out. The
 * list of a superseded copy also makes a list in the output, but its entries are not appended: only
 * those of the used copy are. */
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

/* Adds the name of a list of resolved relocations to the output. From sm_100 on the output has this
 * name for the constants of a device function, although the list does not exist: the constants are
 * moved to the kernels (observed). */
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

/* Returns the list for entries with or without addend. With --force-rela all entries are in the
 * RELA list. The string table then also has the name of the REL list, which does not exist. */
static struct output_section *list_of_kind(link_context *link, struct output_section *home,
                                           bool with_addends)
{
    if (!with_addends && link->options.force_addends)
        add_relocation_section(link, home, false);
    return merge_relocation_list(link, home, with_addends || link->options.force_addends);
}

/* Makes a list of the output for each kind of entries in the input list: with addend, without
 * addend. The list for the kind of the first entry is made first. Appends the whole input list to
 * each; pass_scan later picks the entries of the right kind. Appends nothing if the input section
 * that the list relocates contributes nothing to the output. */
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
