/* Makes the sections that describe the program: call graph, prototypes, compatibility, notes.
 *
 * Requires: MERGED (notes and call pairs), SHARED_PLACED and CONSTANTS_PLACED (which sections and
 * symbols are dropped).
 * Makes: DESCRIBED, the remaining metadata sections and their sizes.
 * Frozen after: DESCRIPTION.
 *
 * Contents with symbol indices are written later, by metadata_write. */
#include "link/write/metadata.h"

#include <assert.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/compat.h"
#include "link/model/function_data.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "warpld.h"

enum { PAIR_SIZE = 8 };

/* --------------------------------------------------------------------------------------------- */
/* Call graph and prototypes                                                                     */

/* Sorts the pairs of a group by their first function. A counting sort keeps the reading order of
 * the pairs of one function. */
static struct call_pair *sort_pairs(link_context *link, const struct call_group *group)
{
    size_t count = link->functions_count;
    uint32_t *next = ARENA_ARRAY(&link->arena, uint32_t, count + 1);
    struct call_pair *sorted = ARENA_ARRAY(&link->arena, struct call_pair, group->pairs_count);
    for (size_t i = 0; i < group->pairs_count; i++)
        next[group->pairs[i].first->index + 1]++;
    for (size_t i = 0; i < count; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < group->pairs_count; i++)
        sorted[next[group->pairs[i].first->index]++] = group->pairs[i];
    return sorted;
}

static bool pair_is_kept(const struct call_pair *pair)
{
    return pair->first->kept && (!pair->second || pair->second->kept);
}

/* Returns true if the output lists the pair. A function whose address is taken is listed once, even
 * if several objects take its address. Other pairs are listed as often as the inputs list them. So
 * the callees of a superseded copy are listed in addition to those of the used copy (observed in
 * all of 70 links with equal and different calls). `seen` has one element for each function. */
static bool is_new(const struct call_group *group, const struct callgraph *graph,
                   const struct call_pair *pair, bool *seen)
{
    if (group != &graph->groups[GROUP_ADDRESS_TAKEN])
        return true;
    bool fresh = !seen[pair->first->index];
    seen[pair->first->index] = true;
    return fresh;
}

/* Reverses the order of the callees in the pairs of one function. With -r the order is kept,
 * because the final link reverses it. */
static void reverse_targets(const link_context *link, struct call_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count / 2 && !link->options.relocatable; i++) {
        struct call_pair other = pairs[i];
        pairs[i] = pairs[count - 1 - i];
        pairs[count - 1 - i] = other;
    }
}

/* Sorts the pairs of a group as in the output, and drops the pairs of removed functions. Functions
 * are in reading order, and the callees of each function in reverse reading order. */
static void finish_group(link_context *link, struct call_group *group)
{
    struct call_pair *sorted = sort_pairs(link, group);
    bool *seen = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    size_t count = 0, first = 0;
    for (size_t i = 0; i < group->pairs_count; i++) {
        if (count > first && sorted[first].first != sorted[i].first) {
            reverse_targets(link, sorted + first, count - first);
            first = count;
        }
        if (pair_is_kept(&sorted[i]) && is_new(group, &link->callgraph, &sorted[i], seen))
            sorted[count++] = sorted[i];
    }
    reverse_targets(link, sorted + first, count - first);
    group->pairs = sorted;
    group->pairs_count = count;
}

bool metadata_has_prototype(const struct function *function)
{
    return function->kept && function->prototype && !function->address_taken &&
           function->symbol->binding != STB_LOCAL;
}

/* Sets the size of the counterpart of a call graph or prototype section. Both views have the same
 * pairs, because functions have the same symbol indices in both. */
static void size_counterpart(const struct output_section *section)
{
    struct output_section *counterpart = output_counterpart(section);
    if (!counterpart)
        return;
    counterpart->size = section->size;
    counterpart->dropped = section->dropped;
}

static void size_call_sections(link_context *link)
{
    uint64_t pairs = CALLGRAPH_GROUP_COUNT; /* the headings are always present */
    for (int i = 0; i < CALLGRAPH_GROUP_COUNT; i++) {
        finish_group(link, &link->callgraph.groups[i]);
        pairs += link->callgraph.groups[i].pairs_count;
    }
    link->output.callgraph->size = PAIR_SIZE * pairs;
    for (size_t i = 0; i < link->functions_count; i++)
        if (metadata_has_prototype(link->functions[i]))
            link->output.prototype->size += PAIR_SIZE;
    link->output.prototype->dropped = link->output.prototype->size == 0;
    size_counterpart(link->output.callgraph);
    size_counterpart(link->output.prototype);
}

static uint8_t *write_pair(uint8_t *out, uint32_t first, uint32_t second)
{
    store_u32(out, first);
    store_u32(out + 4, second);
    return out + PAIR_SIZE;
}

static uint8_t *write_callgraph(const link_context *link, uint8_t *out)
{
    for (int g = 0; g < CALLGRAPH_GROUP_COUNT; g++) {
        const struct call_group *group = &link->callgraph.groups[g];
        out = write_pair(out, 0, (uint32_t)(-g - 1));
        for (size_t i = 0; i < group->pairs_count; i++) {
            const struct call_pair *pair = &group->pairs[i];
            out = write_pair(out, pair->first->symbol->output_index,
                             pair->second ? pair->second->symbol->output_index
                                          : pair->prototype->name.offset);
        }
    }
    return out;
}

static uint8_t *write_prototypes(const link_context *link, uint8_t *out)
{
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (metadata_has_prototype(function))
            out = write_pair(out, function->symbol->output_index, function->prototype->name.offset);
    }
    return out;
}

/* --------------------------------------------------------------------------------------------- */
/* .nv.rel.action                                                                                */

/* The contents of .nv.rel.action. They describe the relocation type R_CUDA_CONST_FIELD22_37 (115)
 * to drivers that do not know it: its field consists of 17 bits from bit 37 on, and 5 bits from bit
 * 54 on. Each native executable has the same 16 bytes (nvlink 13.0.88). */
static const uint8_t RELOCATION_ACTION[] = {0x73, 0, 0, 0,    0,    0, 0, 0,
                                            0,    0, 0, 0x11, 0x25, 0, 5, 0x36};

static void add_relocation_action(link_context *link)
{
    struct output_section *section = output_add(link, ".nv.rel.action", SHAPE_RELOCATION_ACTION);
    output_add_rare(link, section)->bytes = RELOCATION_ACTION;
    section->size = sizeof RELOCATION_ACTION;
}

/* --------------------------------------------------------------------------------------------- */
/* Notes                                                                                         */

static struct note_tkinfo own_note(link_context *link)
{
    char target[16];
    architecture_name(link->target, target);
    const char *recorded = link->options.recorded_options;
    const char *output = link->options.recorded_output;
    return (struct note_tkinfo){
        .object_name = output ? output : "",
        .tool_name = "warpld",
        .tool_version = "warpld, the open CUDA device linker, version " WARPLD_VERSION,
        .tool_build = "",
        .command_line =
            recorded ? recorded
                     : arena_join(&link->arena, arena_join(&link->arena, "-arch ", target), " "),
    };
}

/* Makes the tool note: first the note of warpld, then the notes of all objects in order, even if
 * some are equal. */
static void make_tool_note(link_context *link)
{
    struct note_tkinfo own = own_note(link);
    struct output_section *section = link->output.tool_note;
    section->size = note_tkinfo_size(&own);
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, section->size);
    note_write_tkinfo(bytes, &own);
    *output_add_chunk(link, section) = (struct chunk){.size = section->size, .bytes = bytes};
    for (size_t i = 0; i < link->merge->tool_notes_count; i++)
        output_append(link, section, link->merge->tool_notes[i].object,
                      link->merge->tool_notes[i].section->index);
}

static void make_cuda_note(link_context *link)
{
    struct note_cuinfo note = {NOTE_CUINFO_VERSION, inputs_virtual_sm(link), link->toolkit};
    struct output_section *section = link->output.cuda_note;
    section->size = note_cuinfo_size();
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, section->size);
    note_write_cuinfo(bytes, &note);
    output_add_rare(link, section)->bytes = bytes;
    if (link->output.compat && !link->output.compat->dropped) {
        section->flags |= SHF_INFO_LINK;
        section->info = link->output.compat;
    }
}

void pass_metadata(link_context *link)
{
    size_call_sections(link);
    function_data_finish(link);
    if (!link->options.relocatable &&
        !link_has_mercury(link)) /* no other output has relocations of this type */
        add_relocation_action(link);
    compat_finish(link);
    if (link_writes_abi_12(link))
        return;
    make_tool_note(link);
    make_cuda_note(link);
}

void metadata_write(link_context *link, const struct output_section *section, uint8_t *out)
{
    uint8_t *end = out;
    const struct output_section *native =
        section->view == VIEW_MERCURY ? output_counterpart(section) : section;
    if (native == link->output.callgraph)
        end = write_callgraph(link, out);
    else if (native == link->output.prototype)
        end = write_prototypes(link, out);
    else if (section == link->output.function_data)
        end = function_data_write(link, out);
    assert(end == out + section->size);
    (void)end;
}
