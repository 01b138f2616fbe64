/* Applies the relocations of the inputs to the output's bytes and writes the entries that are kept.
 *
 * Requires: all other contents of the output are written, and sections and symbols have their
 * indices.
 * Mutates: the output's bytes.
 *
 * The entries of an output section are applied and written in the exact reverse of the order in
 * which they were read. Entries with and without addends form one sequence in this order
 * (observed). If two entries with addends patch one field, the first one is applied last and wins,
 * as in nvlink. */
#include "link/write/apply.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "format/section_type.h"
#include "link/merge/debug_line.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/relocate/mercury_code.h"
#include "link/relocate/relocate_state.h"
#include "link/relocate/relocations.h"
#include "link/write/jump_table_order.h"
#include "link/write/write_state.h"

/* Returns the index at which the next entry is written. The entries are visited in reverse order,
 * and an executable lists them in this order. A relocatable output lists them in the order of the
 * inputs. So the final link visits them in the same order as a direct link, and if two entries
 * patch one field, the same entry wins. */
static uint64_t next_entry(const link_context *link, const struct output_section *section)
{
    uint64_t count = section->size / section->entry_size;
    assert(section->written < count);
    return link->options.relocatable ? count - 1 - section->written : section->written;
}

/* Appends an entry to a list of relocations. Does nothing if the list is in another window, because
 * this is repeated when that window is filled. */
static inline void write_entry(const link_context *link, const struct file_window *window,
                               struct output_section *section, uint64_t offset, uint32_t type,
                               uint32_t symbol, uint64_t addend)
{
    uint8_t *list = window_section(window, section);
    if (!list)
        return;
    uint8_t *entry = list + next_entry(link, section) * section->entry_size;
    store_u64(entry, offset);
    store_u64(entry + 8, (uint64_t)symbol << 32 | type);
    if (section->entry_size == ELF_RELA_SIZE)
        store_u64(entry + 16, addend);
    section->written++;
}

static uint32_t symbol_index(const struct relocation_decision *decision)
{
    if (decision->symbol)
        return decision->symbol->output_index;
    return decision->section ? decision->section->symbol_index : 0;
}

/* The relocation field of an entry. */
struct output_field {
    uint8_t *bytes;       /* the field in the output; NULL in Mercury code and for other windows */
    const uint8_t *input; /* the field in the input, which is never changed */
    uint64_t available;   /* bytes from the field to the end of its section */
    uint64_t offset;      /* offset of the field in the output section */
    bool has_addend;      /* the addend is in the field */
    bool gains_addend;    /* the addend is moved from the field into the entry */
};

/* Whether the entry sets its field to zero. It does so whatever the field contains, and even if
 * --force-rela has given the entry an addend (observed). */
static bool clears_field(const struct relocation_decision *decision)
{
    enum { R_CUDA_YIELD_CLEAR_PRED4_87 = 69 };
    return decision->action == ACTION_CLEAR || decision->number == R_CUDA_YIELD_CLEAR_PRED4_87;
}

/* Writes a resolved value. If the addend is moved from the field into the entry, it is read from
 * the field in the input, because another entry may have written to the field in the output. So
 * each entry overwrites the field, and the first entry in the input, which is applied last, wins
 * (observed with an entry that was repeated). */
static void write_decided_value(const struct relocation_decision *decision,
                                const struct elf_relocation *entry,
                                const struct output_field *field)
{
    uint64_t gained = 0;
    if (field->gains_addend)
        gained = relocation_read_addend(decision->type, field->input, field->available);
    if (clears_field(decision))
        relocation_write(decision->type, field->bytes, field->available, 0, 0);
    else if (field->has_addend && !field->gains_addend)
        relocation_write_in_place(decision->type, field->bytes, field->available, decision->value,
                                  decision->bank);
    else
        relocation_write(decision->type, field->bytes, field->available,
                         decision->value + (uint64_t)entry->addend + gained, decision->bank);
}

/* Records that an entry of the list has lost its symbol. If several lists have such entries, only
 * the one with the lowest index is recorded. Several threads call this function, so the report
 * waits until all of them have ended. */
static void note_lost_symbol(const link_context *link, const struct output_section *list)
{
    atomic_uint *first = &link->write->lost_symbol_list;
    unsigned known = atomic_load(first);
    while ((!known || list->index < known) &&
           !atomic_compare_exchange_weak(first, &known, list->index))
        ;
}

/* An undefined weak variable has no symbol in the output, and a warning about it was already
 * reported. */
static bool is_undefined_weak(const struct symbol *symbol)
{
    return symbol && symbol->binding == STB_WEAK && !symbol->defined;
}

/* Returns true if an entry must have a symbol. Compilers and nvlink -r write entries without a
 * symbol in three cases: in the classes NONE and YIELD, and for sections without SHF_ALLOC. The
 * checks of inputs in format/elf_check_contents.c have the same rule. A list without `info` has the
 * relocations of a block that was copied to the banks of kernels. It patches constant memory, so
 * its entries must have symbols. */
static bool needs_symbol(const struct relocation_decision *decision,
                         const struct output_section *list)
{
    if (is_undefined_weak(decision->symbol))
        return false;
    enum relocation_class class = decision->type ? decision->type->class : RELOCATION_NONE;
    return class != RELOCATION_NONE && class != RELOCATION_YIELD &&
           (!list->info || list->info->flags & SHF_ALLOC);
}

/* Writes an entry of a list. Calls note_lost_symbol if the entry has lost its symbol. */
static void write_decided_entry(const link_context *link, const struct file_window *window,
                                const struct relocation_decision *decision,
                                struct output_section *list, uint64_t offset, uint64_t addend)
{
    uint32_t symbol = symbol_index(decision);
    if (!symbol && needs_symbol(decision, list))
        note_lost_symbol(link, list);
    write_entry(link, window, list, offset, decision->number, symbol, addend);
}

/* Writes an entry that is kept. If its addend is moved from the field into the entry, the addend is
 * read from the field in the input, although nvlink ignores it. With --force-rela, the addend is
 * read from the field in the output, as in nvlink, although another entry may have written to that
 * field. */
static void keep_entry(const link_context *link, const struct file_window *window,
                       const struct relocation_decision *decision,
                       const struct elf_relocation *entry, const struct output_field *field,
                       struct output_section *list)
{
    assert(list); /* merge creates a list for each entry that is read */
    uint64_t addend = (uint64_t)entry->addend + decision->shift;
    const uint8_t *bytes =
        field->bytes && link->options.force_addends ? field->bytes : field->input;
    bool in_bytes = field->has_addend && decision->type && bytes;
    if (in_bytes && field->bytes && relocation_shifts_bytes(decision, list->type == SHT_RELA))
        relocation_write_in_place(decision->type, field->bytes, field->available, decision->shift,
                                  0);
    else if (in_bytes && list->type == SHT_RELA)
        addend += relocation_read_addend(decision->type, bytes, field->available);
    write_decided_entry(link, window, decision, list, field->offset, addend);
}

/* With --preserve-relocs, lists a resolved entry. If its addend is in the field, it is read from
 * the field in the output, even if another entry has written that field. */
static void list_resolved(const link_context *link, const struct file_window *window,
                          const struct output_section *section,
                          const struct relocation_decision *decision,
                          const struct elf_relocation *entry, const struct output_field *field)
{
    if (!relocation_is_listed(link, section, decision))
        return;
    uint64_t addend = (uint64_t)entry->addend + decision->shift;
    bool is_in_bytes = field->has_addend && !field->gains_addend && field->bytes && decision->type;
    if (is_in_bytes && !clears_field(decision))
        addend += relocation_read_addend(decision->type, field->bytes, field->available);
    write_decided_entry(link, window, decision, output_rare(section)->resolved, field->offset,
                        addend);
}

/* Returns the number of bytes from the start of the field to the end of the input section or of the
 * output section, whichever number is smaller. The output section can be shorter: a bank is emptied
 * when a copy of a weak definition is superseded. */
static uint64_t available_at(const struct output_section *section, const struct elf_section *input,
                             uint64_t offset, uint64_t input_offset)
{
    uint64_t space = section->size > offset ? section->size - offset : 0;
    uint64_t rest = input->size > input_offset ? input->size - input_offset : 0;
    return space < rest ? space : rest;
}

/* Finds the field of an entry in the output. In Mercury code it finds none: the offsets are offsets
 * in expanded code and match no byte of the section. In an executable, an entry for a slot of the
 * unified function table has the offset of the slot, without the offset within it (observed). */
static struct output_field field_of(const link_context *link, const struct output_section *section,
                                    const struct file_window *window,
                                    const struct input_object *object,
                                    const struct elf_section *relocations,
                                    const struct elf_relocation *entry)
{
    const struct elf_section *input = &object->elf.sections[relocations->info];
    uint64_t offset = object->contributions[relocations->info].offset;
    bool is_slot = section->type == SHT_MERCURY_CODE && section->entry_size;
    if (!is_slot || link->options.relocatable)
        contribution_offset(object, relocations->info, entry->offset, &offset);
    struct output_field field = {.offset = offset,
                                 .has_addend = !elf_section_has_addends(relocations)};
    if (input->type == SHT_MERCURY_CODE)
        return field;
    field.bytes = window_has(window, section) ? window_byte(window, section, offset) : NULL;
    field.input = input->data + entry->offset;
    field.available = available_at(section, input, offset, entry->offset);
    field.gains_addend = relocation_gains_addend(object, relocations, entry);
    return field;
}

/* The state while the entries of a chunk are written. */
struct chunk_writer {
    link_context *link;
    struct output_section *section;
    const struct file_window *window;
    const struct chunk *chunk;
    const struct elf_section *relocations;
    const uint8_t *actions;   /* the stored action of each entry, see relocations.h */
    bool has_bytes;           /* the window contains the section */
    bool has_kept;            /* the window contains the lists of kept entries */
    bool has_resolved;        /* the window contains the list of resolved entries */
    struct mercury_code code; /* read on first use */
};

static void write_field(struct chunk_writer *writer, uint32_t index,
                        const struct relocation_decision *decision,
                        const struct output_field *field)
{
    link_context *link = writer->link;
    struct input_object *object = writer->chunk->object;
    const struct elf_section *relocations = writer->relocations;
    struct elf_relocation entry = elf_section_relocation(relocations, index);
    list_resolved(link, writer->window, writer->section, decision, &entry, field);
    if (object->elf.sections[relocations->info].type == SHT_MERCURY_CODE) {
        uint8_t *section = window_section(writer->window, writer->section);
        if (!writer->code.partners)
            writer->code = mercury_code_read(link, object, relocations);
        if (!mercury_code_patch(&writer->code, object, relocations, index, decision, section))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, object->name, NULL,
                              object->name, relocations->name);
    } else if (field->bytes) {
        write_decided_value(decision, &entry, field);
    }
}

static bool is_for_window(const struct chunk_writer *writer, uint32_t index)
{
    uint8_t action = writer->actions[index];
    switch ((enum relocation_action)(action & ENTRY_ACTION)) {
    case ACTION_KEEP:
        return writer->has_kept || (writer->has_bytes && action & ENTRY_SHIFTS_BYTES);
    case ACTION_WRITE:
    case ACTION_CLEAR:
        return writer->has_bytes || writer->has_resolved;
    default:
        return false;
    }
}

static void apply_entry(struct chunk_writer *writer, uint32_t index)
{
    link_context *link = writer->link;
    struct output_section *section = writer->section;
    struct input_object *object = writer->chunk->object;
    const struct elf_section *relocations = writer->relocations;
    if (!is_for_window(writer, index))
        return;
    struct elf_relocation entry = elf_section_relocation(relocations, index);
    struct relocation_decision decision = relocation_decide(link, object, relocations, &entry);
    struct output_field field =
        field_of(link, section, writer->window, object, relocations, &entry);
    assert(decision.action == (writer->actions[index] & ENTRY_ACTION));
    bool has_addend = relocation_has_addend(link, relocations, field.gains_addend);
    if (decision.action == ACTION_KEEP)
        keep_entry(link, writer->window, &decision, &entry, &field,
                   has_addend ? section->rela : section->rel);
    else
        write_field(writer, index, &decision, &field);
}

static void start_chunk(struct chunk_writer *writer, const struct chunk *chunk)
{
    writer->chunk = chunk;
    writer->relocations = chunk->input;
    writer->actions = &writer->link->relocate->actions[chunk->offset];
    writer->code = (struct mercury_code){.partners = NULL};
}

/* Writes an entry that is kept unchanged. `start` is the offset of the input section's bytes in the
 * output section. */
static void keep_plain_entry(const struct chunk_writer *writer, uint64_t start, uint32_t index)
{
    struct elf_relocation entry = elf_section_relocation(writer->relocations, index);
    const struct symbol *symbol = writer->chunk->object->symbols[entry.symbol];
    write_entry(writer->link, writer->window, writer->section->rela, start + entry.offset,
                entry.type, symbol->output_index, (uint64_t)entry.addend);
}

static void apply_chunk(struct chunk_writer *writer, const struct chunk *chunk)
{
    start_chunk(writer, chunk);
    uint64_t start = chunk->object->contributions[writer->relocations->info].offset;
    for (uint32_t i = writer->relocations->entry_count; i-- > 0;)
        if (!(writer->actions[i] & ENTRY_IS_PLAIN))
            apply_entry(writer, i);
        else if (writer->has_kept)
            keep_plain_entry(writer, start, i);
}

/* Applies the entries of a block that was copied to the banks of kernels. */
static void apply_late_chunk(struct chunk_writer *writer, const struct chunk *chunk)
{
    start_chunk(writer, chunk);
    const struct elf_section *relocations = writer->relocations;
    const struct jump_table_entry *entries =
        jump_table_order(writer->link, chunk->object, relocations);
    for (uint32_t i = 0; i < relocations->entry_count; i++)
        apply_entry(writer, entries[i].index);
}

/* Consecutive chunks of a list of relocations, in reading order. */
struct chunk_range {
    const struct chunk *first;
    const struct chunk *end;
};

static struct chunk_range all_chunks(const struct output_section *list)
{
    if (!list || !list->chunks_count)
        return (struct chunk_range){NULL, NULL};
    return (struct chunk_range){list->chunks, list->chunks + list->chunks_count};
}

/* Returns the first chunk in the range that belongs to the object at `position` or to a later one.
 * Returns the end of the range if there is none. */
static const struct chunk *first_from(struct chunk_range range, uint64_t position)
{
    while (range.first < range.end) {
        const struct chunk *middle = range.first + (range.end - range.first) / 2;
        if (middle->object->position < position)
            range.first = middle + 1;
        else
            range.end = middle;
    }
    return range.end;
}

static struct chunk_range chunks_of(const struct output_section *list, struct object_range objects)
{
    struct chunk_range all = all_chunks(list);
    return (struct chunk_range){first_from(all, objects.first),
                                first_from(all, objects.last + UINT64_C(1))};
}

static const struct chunk *last_chunk(struct chunk_range range)
{
    return range.first < range.end ? range.end - 1 : NULL;
}

static bool is_read_later(const struct chunk *a, const struct chunk *b)
{
    if (!a || !b)
        return a;
    if (a->object != b->object)
        return a->object->position > b->object->position;
    return a->input->index > b->input->index;
}

static int by_field_offset(const void *a, const void *b)
{
    uint64_t first = load_u64(a), second = load_u64(b);
    return first < second ? -1 : first > second;
}

/* Completes a native line table. From sm_100 on, nvlink generates these tables and sorts the
 * entries of their relocations (observed). */
static void finish_line_table(link_context *link, const struct output_section *section,
                              const struct file_window *window)
{
    const struct output_section *list = section->rela;
    if (!list || !output_counterpart(section) || section->view != VIEW_NATIVE ||
        !debug_line_is_table(section_name(link, section)))
        return;
    debug_line_write_references(link, section, window_section(window, section));
    if (list->written)
        qsort(window_section(window, list), list->written, ELF_RELA_SIZE, by_field_offset);
}

static bool has_list(const struct file_window *window, const struct output_section *list)
{
    return list && window_has(window, list);
}

static void write_slots(const link_context *link, struct output_section *list,
                        const struct file_window *window)
{
    const struct rare_section *rare = output_rare(list);
    for (size_t i = 0; i < rare->added_count; i++) {
        const struct added_relocation *added = &rare->added[i];
        if (!added->symbol->output_index)
            note_lost_symbol(link, list);
        write_entry(link, window, list, added->offset, added->type, added->symbol->output_index, 0);
    }
}

/* Applies the chunks of both lists, from the last chunk to the first. Entries with and without
 * addends form one sequence. An input section with entries of both kinds has a chunk in each list,
 * but is applied only once. */
static void apply_chunks(struct chunk_writer *writer, struct chunk_range rel,
                         struct chunk_range rela)
{
    while (rel.first < rel.end || rela.first < rela.end) {
        const struct chunk *in_place = last_chunk(rel);
        const struct chunk *with_addends = last_chunk(rela);
        bool rela_is_later = is_read_later(with_addends, in_place);
        bool rel_is_later = is_read_later(in_place, with_addends);
        apply_chunk(writer, rela_is_later ? with_addends : in_place);
        if (!rela_is_later)
            rel.end--;
        if (!rel_is_later)
            rela.end--;
    }
}

static void apply_late_chunks(struct chunk_writer *writer, const struct output_section *rela)
{
    for (size_t i = 0; rela && i < output_rare(rela)->late_chunks_count; i++)
        apply_late_chunk(writer, &rela->rare->late_chunks[i]);
}

static struct chunk_writer writer_for(link_context *link, struct output_section *section,
                                      const struct file_window *window)
{
    return (struct chunk_writer){
        .link = link,
        .section = section,
        .window = window,
        .has_bytes = window_has(window, section),
        .has_kept = has_list(window, section->rel) || has_list(window, section->rela),
        .has_resolved = has_list(window, output_rare(section)->resolved),
    };
}

static bool list_changes_bytes(const struct output_section *list)
{
    return list && list->changes_bytes;
}

/* Returns true if the window contains lists of entries, or bytes that relocations change. In most
 * windows, relocations change no byte. */
static bool has_work(const struct chunk_writer *writer)
{
    const struct output_section *section = writer->section;
    return writer->has_kept || writer->has_resolved ||
           (writer->has_bytes &&
            (list_changes_bytes(section->rel) || list_changes_bytes(section->rela)));
}

void apply_relocations_of(link_context *link, struct output_section *section,
                          const struct file_window *window, struct object_range objects)
{
    struct chunk_writer writer = writer_for(link, section, window);
    if (has_work(&writer))
        apply_chunks(&writer, chunks_of(section->rel, objects), chunks_of(section->rela, objects));
}

void apply_relocations(link_context *link, struct output_section *section,
                       const struct file_window *window)
{
    struct chunk_writer writer = writer_for(link, section, window);
    if (output_rare(section)->slot_rel)
        write_slots(link, section->rare->slot_rel, window);
    if (has_work(&writer)) {
        apply_chunks(&writer, all_chunks(section->rel), all_chunks(section->rela));
        apply_late_chunks(&writer, section->rela);
    }
    finish_line_table(link, section, window);
}
