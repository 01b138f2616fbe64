/* Applies the relocations of the inputs to the output's bytes and writes the ones that stay.
 *
 * Requires: the output's other contents in place, all indices. Mutates: the output's bytes.
 *
 * All entries of an output section leave in the exact reverse of the order in which they were read,
 * those with and without addends together (observed). Going backwards also makes the first of two
 * entries for one place the one that counts, as in nvlink. */
#include "link/write/apply.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

/* A relocatable output has its entries in the order of the inputs, so that of two for one place the
 * same one counts in the final link. */
static uint64_t next_entry(const link_context *link, const struct output_section *section)
{
    uint64_t count = section->size / section->entry_size;
    assert(section->written < count);
    return link->options.relocatable ? count - 1 - section->written : section->written;
}

/* A list in another window is written when that one is. */
static void write_entry(const link_context *link, const struct file_window *window,
                        struct output_section *section, uint64_t offset, uint32_t type,
                        uint32_t symbol, uint64_t addend)
{
    uint8_t *list = window_place(window, section);
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

/* Where an entry points to. */
struct relocation_place {
    uint8_t *bytes;       /* in the output; NULL: of Mercury code, or in another window */
    const uint8_t *input; /* the same, as it was */
    uint64_t available;   /* to the end of the input's section */
    uint64_t offset;      /* in the output's section */
    bool has_addend;      /* the addend stands in the bytes */
    bool gains_addend;    /* and the entry becomes one with an addend */
};

/* Whatever stands there, and whatever addend --force-rela has made of it (observed). */
static bool clears_field(const struct relocation_decision *decision)
{
    enum { R_CUDA_YIELD_CLEAR_PRED4_87 = 69 };
    return decision->number == R_CUDA_YIELD_CLEAR_PRED4_87;
}

/* Of several entries that become ones with an addend the first counts, as of others with addends:
 * what another one wrote is none of their addends (observed with one such entry repeated). */
static void write_value(const struct relocation_decision *decision,
                        const struct elf_relocation *entry, const struct relocation_place *place)
{
    uint64_t gained = 0;
    if (place->gains_addend)
        gained = relocation_read_addend(decision->type, place->input, place->available);
    if (clears_field(decision))
        relocation_write(decision->type, place->bytes, place->available, 0, 0);
    else if (place->has_addend && !place->gains_addend)
        relocation_write_in_place(decision->type, place->bytes, place->available, decision->value,
                                  decision->bank);
    else
        relocation_write(decision->type, place->bytes, place->available,
                         decision->value + (uint64_t)entry->addend + gained, decision->bank);
}

/* An entry that gains an addend takes along the one in the bytes; nvlink forgets it but with
 * --force-rela, and then what another entry wrote there counts. */
static void keep_entry(const link_context *link, const struct file_window *window,
                       const struct relocation_decision *decision,
                       const struct elf_relocation *entry, const struct relocation_place *place,
                       struct output_section *list)
{
    assert(list); /* made by merge for every entry that is read */
    uint64_t addend = (uint64_t)entry->addend + decision->shift;
    const uint8_t *bytes =
        place->bytes && link->options.force_addends ? place->bytes : place->input;
    bool in_bytes = place->has_addend && decision->type && bytes;
    if (in_bytes && place->bytes && relocation_shifts_bytes(decision, list->type == SHT_RELA))
        relocation_write_in_place(decision->type, place->bytes, place->available, decision->shift,
                                  0);
    else if (in_bytes && list->type == SHT_RELA)
        addend += relocation_read_addend(decision->type, bytes, place->available);
    write_entry(link, window, list, place->offset, decision->number, symbol_index(decision),
                addend);
}

/* With --preserve-relocs what is resolved is listed, with the addend of its entry, or with what its
 * field holds now, another entry's value too. */
static void list_resolved(const link_context *link, const struct file_window *window,
                          const struct output_section *section,
                          const struct relocation_decision *decision,
                          const struct elf_relocation *entry, const struct relocation_place *place)
{
    if (!relocation_is_listed(link, section, decision))
        return;
    uint64_t addend = (uint64_t)entry->addend + decision->shift;
    bool is_in_bytes = place->has_addend && !place->gains_addend && place->bytes && decision->type;
    if (is_in_bytes && !clears_field(decision))
        addend += relocation_read_addend(decision->type, place->bytes, place->available);
    write_entry(link, window, output_rare(section)->resolved, place->offset, decision->number,
                symbol_index(decision), addend);
}

/* A bank can have been emptied for a weak copy since. */
static uint64_t room_at(const struct output_section *section, const struct elf_section *input,
                        uint64_t offset, uint64_t input_offset)
{
    uint64_t room = section->size > offset ? section->size - offset : 0;
    uint64_t rest = input->size > input_offset ? input->size - input_offset : 0;
    return room < rest ? room : rest;
}

/* What the bytes before the offset are in the output. Offsets in Mercury code are none of its
 * bytes; of an entry about a slot of the unified function table the offset in the slot is lost in
 * executables (observed). */
static struct relocation_place
place_of(const link_context *link, const struct output_section *section,
         const struct file_window *window, const struct input_object *object,
         const struct elf_section *relocations, const struct elf_relocation *entry)
{
    const struct elf_section *input = &object->elf.sections[relocations->info];
    uint64_t offset = object->contributions[relocations->info].offset;
    bool is_slot = section->type == SHT_MERCURY_CODE && section->entry_size;
    if (!is_slot || link->options.relocatable)
        contribution_offset(object, relocations->info, entry->offset, &offset);
    struct relocation_place place = {.offset = offset,
                                     .has_addend = !elf_section_has_addends(relocations)};
    if (input->type == SHT_MERCURY_CODE)
        return place;
    place.bytes = window_has(window, section) ? window_byte(window, section, offset) : NULL;
    place.input = input->data + entry->offset;
    place.available = room_at(section, input, offset, entry->offset);
    place.gains_addend = relocation_gains_addend(object, relocations, entry);
    return place;
}

/* A chunk's entries on their way to the output. */
struct chunk_writer {
    link_context *link;
    struct output_section *section;
    const struct file_window *window;
    const struct chunk *chunk;
    const struct elf_section *relocations;
    const uint8_t *actions;   /* by entry, see relocations.h */
    bool has_bytes;           /* the window has the section, */
    bool has_kept;            /* what stays of its entries, */
    bool has_resolved;        /* the list of what does not */
    struct mercury_code code; /* read when it is needed */
};

static void write_field(struct chunk_writer *writer, uint32_t index,
                        const struct relocation_decision *decision,
                        const struct relocation_place *place)
{
    link_context *link = writer->link;
    struct input_object *object = writer->chunk->object;
    const struct elf_section *relocations = writer->relocations;
    struct elf_relocation entry = elf_section_relocation(relocations, index);
    list_resolved(link, writer->window, writer->section, decision, &entry, place);
    if (object->elf.sections[relocations->info].type == SHT_MERCURY_CODE) {
        uint8_t *section = window_place(writer->window, writer->section);
        if (!writer->code.partners)
            writer->code = mercury_code_read(link, object, relocations);
        if (!mercury_code_patch(&writer->code, object, relocations, index, decision, section))
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, object->name, NULL,
                              object->name, relocations->name);
    } else if (place->bytes && decision->action == ACTION_CLEAR) {
        relocation_write(decision->type, place->bytes, place->available, 0, 0);
    } else if (place->bytes) {
        write_value(decision, &entry, place);
    }
}

static bool is_for_window(const struct chunk_writer *writer, uint32_t index)
{
    uint8_t action = writer->actions[index];
    switch ((enum relocation_action)(action & ENTRY_ACTION)) {
    case ACTION_KEEP:
        return writer->has_kept || (writer->has_bytes && action & ENTRY_SHIFTS_BYTES);
    case ACTION_WRITE:
        return writer->has_bytes || writer->has_resolved;
    case ACTION_CLEAR:
        return writer->has_bytes;
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
    struct relocation_place place =
        place_of(link, section, writer->window, object, relocations, &entry);
    assert(decision.action == (writer->actions[index] & ENTRY_ACTION));
    bool has_addend = relocation_has_addend(link, relocations, place.gains_addend);
    if (decision.action == ACTION_KEEP)
        keep_entry(link, writer->window, &decision, &entry, &place,
                   has_addend ? section->rela : section->rel);
    else
        write_field(writer, index, &decision, &place);
}

static void start_chunk(struct chunk_writer *writer, const struct chunk *chunk)
{
    writer->chunk = chunk;
    writer->relocations = chunk->input;
    writer->actions = &writer->link->relocate->actions[chunk->offset];
    writer->code = (struct mercury_code){.partners = NULL};
}

/* Of a section whose bytes are at `start` in the output's. */
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

/* Where the jump tables of a block begin: at its symbols, one bit for each word. */
static void find_tables(link_context *link, struct input_object *object)
{
    object->tables = ARENA_ARRAY(&link->arena, uint64_t *, object->elf.section_count);
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_MERCURY].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_MERCURY, i);
        if (symbol.type == STT_SECTION || symbol.section >= object->elf.section_count)
            continue;
        const struct elf_section *block = &object->elf.sections[symbol.section];
        if (block->type != SHT_MERCURY_CONSTANT_OPTIMIZER || symbol.value >= block->size)
            continue;
        uint64_t **starts = &object->tables[symbol.section];
        if (!*starts)
            *starts = ARENA_ARRAY(&link->arena, uint64_t, block->size / 256 + 1);
        (*starts)[symbol.value / 256] |= UINT64_C(1) << symbol.value / 4 % 64;
    }
}

struct table_entry {
    uint64_t offset;
    uint64_t table; /* how many tables begin up to there */
    uint32_t index;
};

static int by_offset(const void *a, const void *b)
{
    const struct table_entry *first = a, *second = b;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static int last_table_first(const void *a, const void *b)
{
    const struct table_entry *first = a, *second = b;
    if (first->table != second->table)
        return first->table > second->table ? -1 : 1;
    return first->index > second->index ? -1 : first->index < second->index;
}

/* Entries of a block without symbols, starts being NULL, are of one table. */
static void number_tables(struct table_entry *entries, uint32_t count, const uint64_t *starts)
{
    uint64_t table = 0, word = 0;
    for (uint32_t i = 0; starts && i < count; i++) {
        for (; word <= entries[i].offset / 4; word++)
            table += starts[word / 64] >> word % 64 & 1;
        entries[i].table = table;
    }
}

/* Of a rejected copy no symbols tell where its tables begin. */
static const uint64_t *table_starts(link_context *link, struct input_object *object, uint32_t block)
{
    uint32_t function = 0, native = object->other_view ? object->other_view[block] : block;
    if (input_section_function(object, &object->elf.sections[native], &function) &&
        object->copies[function] == COPY_DISCARDED)
        return NULL;
    if (!object->tables)
        find_tables(link, object);
    return object->tables[block];
}

/* Entries of a block that was copied to the banks of kernels: table by table, the last table first,
 * and each in the reverse of the input's order, in which ptxas has the last word first and an
 * output of nvlink -r the first (observed in both views of two-object links with up to four tables,
 * and with entries in any order). */
static void apply_late_chunk(struct chunk_writer *writer, const struct chunk *chunk)
{
    link_context *link = writer->link;
    start_chunk(writer, chunk);
    const struct elf_section *relocations = writer->relocations;
    uint32_t count = relocations->entry_count;
    struct table_entry *entries = ARENA_ARRAY(&link->arena, struct table_entry, count + 1);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (struct table_entry){.offset = elf_section_relocation(relocations, i).offset,
                                          .index = i};
    qsort(entries, count, sizeof *entries, by_offset);
    number_tables(entries, count, table_starts(link, chunk->object, relocations->info));
    qsort(entries, count, sizeof *entries, last_table_first);
    for (uint32_t i = 0; i < count; i++)
        apply_entry(writer, entries[i].index);
}

/* Chunks of one kind stand in reading order. */
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

/* The first chunk of the objects from that position on. */
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

static int by_place(const void *a, const void *b)
{
    uint64_t first = load_u64(a), second = load_u64(b);
    return first < second ? -1 : first > second;
}

/* nvlink makes native line tables anew from sm_100 on, with their entries in order (observed). */
static void finish_line_table(link_context *link, const struct output_section *section,
                              const struct file_window *window)
{
    const struct output_section *list = section->rela;
    if (!list || !output_counterpart(section) || section->view != VIEW_NATIVE ||
        !debug_line_is_table(section_name(link, section)))
        return;
    debug_line_write_references(link, section, window_place(window, section));
    if (list->written)
        qsort(window_place(window, list), list->written, ELF_RELA_SIZE, by_place);
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
        write_entry(link, window, list, added->offset, added->type, added->symbol->output_index, 0);
    }
}

/* Entries with and without addends count as one list. A section whose entries go to both lists
 * stands in both, and is applied once. */
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

/* Bytes in the window mostly stay as they are. */
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
