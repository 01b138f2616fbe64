/* Applies the relocations of the inputs to the output's bytes and writes the ones that stay.
 *
 * Requires: the output's other contents in place, all indices. Mutates: the output's bytes.
 *
 * All entries of an output section leave in the exact reverse of the order in which they were read
 * (observed). Going backwards also makes the first of two entries for one place the one that
 * counts, as in nvlink. */
#include "link/apply.h"

#include <assert.h>

#include "link/relocations.h"

/* Where the entries that stay are written, and how many have been. */
struct relocation_writer {
    uint8_t *next;
    const struct output_section *section;
    uint64_t written;
};

static void write_entry(struct relocation_writer *writer, uint64_t offset, uint32_t type,
                        uint32_t symbol, uint64_t addend)
{
    assert(writer->written < writer->section->kept_relocations);
    store_u64(writer->next, offset);
    store_u64(writer->next + 8, (uint64_t)symbol << 32 | type);
    if (writer->section->type == SHT_RELA)
        store_u64(writer->next + 16, addend);
    writer->next += writer->section->entry_size;
    writer->written++;
}

static uint32_t symbol_index(const struct relocation_decision *decision)
{
    if (decision->symbol)
        return decision->symbol->output_index;
    return decision->section ? decision->section->symbol_index : 0;
}

static void keep_entry(struct relocation_writer *writer, const struct relocation_decision *decision,
                       const struct elf_relocation *entry, uint64_t base, uint8_t *place,
                       uint64_t available)
{
    bool in_place = writer->section->type == SHT_REL;
    write_entry(writer, base + entry->offset, decision->number, symbol_index(decision),
                (uint64_t)entry->addend + decision->addend_shift);
    if (in_place && decision->addend_shift && decision->type)
        relocation_write_in_place(decision->type, place, available, decision->addend_shift, 0);
}

static void apply_entry(struct relocation_writer *writer,
                        const struct relocation_decision *decision,
                        const struct elf_relocation *entry, uint64_t base, uint8_t *place,
                        uint64_t available)
{
    switch (decision->action) {
    case ACTION_KEEP:
        keep_entry(writer, decision, entry, base, place, available);
        break;
    case ACTION_CLEAR:
        relocation_write(decision->type, place, available, 0, 0);
        break;
    case ACTION_WRITE:
        if (writer->section->type == SHT_REL)
            relocation_write_in_place(decision->type, place, available, decision->value,
                                      decision->bank);
        else
            relocation_write(decision->type, place, available,
                             decision->value + (uint64_t)entry->addend, decision->bank);
        break;
    case ACTION_DROP:
    case ACTION_FAIL:
        break;
    }
}

static void apply_chunk(link_context *link, struct relocation_writer *writer, uint8_t *file,
                        const struct chunk *chunk)
{
    struct input_object *object = chunk->object;
    const struct elf_section *relocations = &object->elf.sections[chunk->input_section];
    const struct contribution *home = &object->contributions[relocations->info];
    const struct output_section *target = home->section;
    for (uint32_t i = relocations->entry_count; i-- > 0;) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        struct relocation_decision decision = relocation_decide(link, object, relocations, &entry);
        uint64_t at = home->offset + entry.offset;
        uint8_t *place = file + target->offset + at;
        apply_entry(writer, &decision, &entry, home->offset, place, target->size - at);
    }
}

void apply_relocations(link_context *link, struct output_section *section, uint8_t *file)
{
    struct relocation_writer writer = {file + section->offset, section, 0};
    for (size_t i = 0; i < section->added_count; i++) {
        const struct added_relocation *added = &section->added[i];
        write_entry(&writer, added->offset, added->type, added->symbol->output_index, 0);
    }
    for (size_t i = section->chunks_count; i-- > 0;)
        apply_chunk(link, &writer, file, &section->chunks[i]);
    section->written_relocations = writer.written;
}
