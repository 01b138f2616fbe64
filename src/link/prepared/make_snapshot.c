/* Makes snapshots of prepared inputs; see prepared_snapshot.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/container/host_object.h"
#include "format/elf_snapshot.h"
#include "link/prepared/prepared_snapshot.h"
#include "link/prepared/snapshot_layout.h"

/* A snapshot that is being written. The integers are offsets in the snapshot. All of them except
 * `texts` grow as the parts are written. */
struct writer {
    uint8_t *snapshot;
    uint64_t texts; /* start of the texts */
    uint64_t text;  /* end of the texts written so far */
    uint64_t facts; /* end of the facts written so far */
    uint64_t code;  /* end of the code written so far */
};

static struct elf_snapshot_size image_size(const struct prepared_unit *unit)
{
    return unit->view ? elf_snapshot_size(unit->view) : (struct elf_snapshot_size){0, 0};
}

static uint64_t texts_size(const struct prepared_input *input)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < input->units_count; i++)
        size += input->units[i].name.size;
    for (uint32_t i = 0; i < input->hosts_count; i++) {
        size += input->hosts[i]->module_ids.size;
        for (int kind = 0; kind < HOST_REFERENCE_COUNT; kind++)
            size += input->hosts[i]->references[kind].size;
    }
    return size;
}

/* Writes a text, and its offset and size to `entry`, 32 bits each. */
static void put_text(struct writer *writer, uint8_t *entry, struct bytes text)
{
    store_u32(entry, (uint32_t)(writer->text - writer->texts));
    store_u32(entry + 4, (uint32_t)text.size);
    if (text.size)
        memcpy(writer->snapshot + writer->text, text.data, (size_t)text.size);
    writer->text += text.size;
}

/* Writes the offset and size of a part of the snapshot to `entry`, 64 bits each. */
static void put_part(uint8_t *entry, uint64_t offset, uint64_t size)
{
    store_u64(entry, offset);
    store_u64(entry + 8, size);
}

/* Writes the offset and size of a part of the input to `entry`. */
static void put_range(uint8_t *entry, const struct prepared_input *input, struct bytes part)
{
    put_part(entry, part.size ? (uint64_t)(part.data - input->bytes.data) : 0, part.size);
}

static void put_unit(struct writer *writer, const struct prepared_input *input, uint8_t *entry,
                     const struct prepared_unit *unit)
{
    struct elf_snapshot_size image = image_size(unit);
    put_range(entry + SNAPSHOT_UNIT_OFFSET, input, unit->contents);
    put_part(entry + SNAPSHOT_UNIT_FACTS, writer->facts, image.facts);
    put_part(entry + SNAPSHOT_UNIT_CODE, writer->code, image.code);
    put_text(writer, entry + SNAPSHOT_UNIT_NAME, unit->name);
    store_u32(entry + SNAPSHOT_UNIT_HOST, unit->host);
    store_u32(entry + SNAPSHOT_UNIT_HOSTS_BEFORE, unit->hosts_before);
    store_u16(entry + SNAPSHOT_UNIT_VIRTUAL_SM, unit->virtual_sm);
    store_u16(entry + SNAPSHOT_UNIT_TOOLKIT, unit->toolkit);
    entry[SNAPSHOT_UNIT_KIND] = (uint8_t)unit->kind;
    entry[SNAPSHOT_UNIT_MEMBER] = unit->is_member;
    if (unit->view)
        elf_snapshot_write(unit->view, writer->snapshot + writer->facts,
                           writer->snapshot + writer->code);
    writer->facts += image.facts;
    writer->code += image.code;
}

static void put_host(struct writer *writer, const struct prepared_input *input, uint8_t *entry,
                     const struct host_object *host)
{
    uint32_t flags = (uint32_t)host->has_device_code << HOST_REFERENCE_COUNT;
    store_u32(entry + SNAPSHOT_HOST_MACHINE, host->machine);
    put_range(entry + SNAPSHOT_HOST_CODE, input, host->relocatable_code);
    put_range(entry + SNAPSHOT_HOST_LINKED, input, host->linked_code);
    put_text(writer, entry + SNAPSHOT_HOST_IDS, host->module_ids);
    for (size_t kind = 0; kind < HOST_REFERENCE_COUNT; kind++) {
        flags |= (uint32_t)host->has_references[kind] << kind;
        put_text(writer, entry + SNAPSHOT_HOST_REFERENCES + 8 * kind, host->references[kind]);
    }
    store_u32(entry + SNAPSHOT_HOST_FLAGS, flags);
}

static void put_head(uint8_t *head, const struct prepared_input *input, const struct writer *writer)
{
    memcpy(head + SNAPSHOT_HEAD_MAGIC, SNAPSHOT_MAGIC, sizeof SNAPSHOT_MAGIC - 1);
    store_u32(head + SNAPSHOT_HEAD_UNITS, input->units_count);
    store_u32(head + SNAPSHOT_HEAD_HOSTS, input->hosts_count);
    store_u32(head + SNAPSHOT_HEAD_HOST_OBJECTS, input->opened.host_object_count);
    store_u32(head + SNAPSHOT_HEAD_FLAGS,
              (input->opened.is_silent ? SNAPSHOT_FLAG_SILENT : 0U) |
                  (input->opened.has_silent_host_object ? SNAPSHOT_FLAG_SILENT_HOST : 0U));
    put_part(head + SNAPSHOT_HEAD_TEXTS, writer->texts, writer->text - writer->texts);
    store_u64(head + SNAPSHOT_HEAD_CODE, writer->facts);
}

/* Writes the entries of units and host objects, with the texts, facts and code that belong to them,
 * and then the head. */
static void put_all(struct writer *writer, const struct prepared_input *input)
{
    uint8_t *entry = writer->snapshot + SNAPSHOT_HEAD_SIZE;
    for (uint32_t i = 0; i < input->units_count; i++, entry += SNAPSHOT_UNIT_ENTRY_SIZE)
        put_unit(writer, input, entry, &input->units[i]);
    for (uint32_t i = 0; i < input->hosts_count; i++, entry += SNAPSHOT_HOST_ENTRY_SIZE)
        put_host(writer, input, entry, input->hosts[i]);
    put_head(writer->snapshot, input, writer); /* now writer->facts is the offset of the code */
}

/* Computes the size of the snapshot and the offsets of its parts, allocates it, and writes it. */
struct bytes prepared_snapshot_make(const struct prepared_input *input)
{
    const uint64_t largest = UINT64_C(1) << 30;
    uint64_t texts = SNAPSHOT_HEAD_SIZE + (uint64_t)input->units_count * SNAPSHOT_UNIT_ENTRY_SIZE +
                     (uint64_t)input->hosts_count * SNAPSHOT_HOST_ENTRY_SIZE;
    uint64_t facts = align_up(texts + texts_size(input), 8), code = facts, code_size = 0;
    for (uint32_t i = 0; i < input->units_count; i++) {
        struct elf_snapshot_size image = image_size(&input->units[i]);
        code += image.facts;
        code_size += image.code;
    }
    uint64_t size = code + code_size;
    uint8_t *snapshot = size <= largest ? calloc(1, (size_t)size) : NULL;
    if (!snapshot)
        return (struct bytes){NULL, 0};
    struct writer writer = {snapshot, texts, texts, facts, code};
    put_all(&writer, input);
    return (struct bytes){snapshot, size};
}
