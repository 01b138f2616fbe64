/* Reads snapshots of prepared inputs; see prepared_snapshot.h. */
#include <string.h>

#include "base/bytes.h"
#include "format/container/host_object.h"
#include "link/model/input_file.h"
#include "link/prepared/prepared_snapshot.h"
#include "link/prepared/snapshot_layout.h"

static uint64_t end_of_hosts(const struct prepared_input *input)
{
    return SNAPSHOT_HEAD_SIZE + (uint64_t)input->units_count * SNAPSHOT_UNIT_ENTRY_SIZE +
           (uint64_t)input->hosts_count * SNAPSHOT_HOST_ENTRY_SIZE;
}

struct bytes prepared_snapshot_head(struct bytes snapshot)
{
    struct bytes head = {NULL, 0};
    bytes_part(snapshot, 0, SNAPSHOT_HEAD_SIZE, &head);
    return head;
}

struct bytes prepared_snapshot_facts(struct bytes snapshot)
{
    struct bytes facts = {NULL, 0};
    if (snapshot.size >= SNAPSHOT_HEAD_SIZE)
        bytes_part(snapshot, 0, load_u64(snapshot.data + SNAPSHOT_HEAD_CODE), &facts);
    return facts;
}

bool prepared_snapshot_open(struct bytes snapshot, struct prepared_input *input)
{
    const uint8_t *head = snapshot.data;
    struct bytes texts;
    if (snapshot.size < SNAPSHOT_HEAD_SIZE ||
        memcmp(head, SNAPSHOT_MAGIC, sizeof SNAPSHOT_MAGIC - 1) != 0)
        return false;
    uint32_t flags = load_u32(head + SNAPSHOT_HEAD_FLAGS);
    input->units_count = load_u32(head + SNAPSHOT_HEAD_UNITS);
    input->hosts_count = load_u32(head + SNAPSHOT_HEAD_HOSTS);
    input->opened = (struct opened_file){
        .is_silent = flags & SNAPSHOT_FLAG_SILENT,
        .has_silent_host_object = flags & SNAPSHOT_FLAG_SILENT_HOST,
        .host_object_count = load_u32(head + SNAPSHOT_HEAD_HOST_OBJECTS),
    };
    return bytes_contain(snapshot, 0, end_of_hosts(input)) &&
           bytes_part(snapshot, load_u64(head + SNAPSHOT_HEAD_TEXTS),
                      load_u64(head + SNAPSHOT_HEAD_TEXTS_SIZE), &texts);
}

static bool read_snapshot_text(struct bytes snapshot, const uint8_t *entry, struct bytes *text)
{
    struct bytes texts = {snapshot.data + load_u64(snapshot.data + SNAPSHOT_HEAD_TEXTS),
                          load_u64(snapshot.data + SNAPSHOT_HEAD_TEXTS_SIZE)};
    return bytes_part(texts, load_u32(entry), load_u32(entry + 4), text);
}

static bool read_snapshot_part(struct bytes snapshot, const uint8_t *entry, struct bytes *part)
{
    return bytes_part(snapshot, load_u64(entry), load_u64(entry + 8), part);
}

static bool read_input_range(const struct prepared_input *input, const uint8_t *entry,
                             struct bytes *part)
{
    return bytes_part(input->bytes, load_u64(entry), load_u64(entry + 8), part);
}

bool prepared_snapshot_unit(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct prepared_unit *unit)
{
    const uint8_t *entry =
        snapshot.data + SNAPSHOT_HEAD_SIZE + (uint64_t)index * SNAPSHOT_UNIT_ENTRY_SIZE;
    *unit = (struct prepared_unit){
        .kind = (enum unit_kind)entry[SNAPSHOT_UNIT_KIND],
        .is_member = entry[SNAPSHOT_UNIT_MEMBER],
        .host = load_u32(entry + SNAPSHOT_UNIT_HOST),
        .hosts_before = load_u32(entry + SNAPSHOT_UNIT_HOSTS_BEFORE),
        .virtual_sm = load_u16(entry + SNAPSHOT_UNIT_VIRTUAL_SM),
        .toolkit = load_u16(entry + SNAPSHOT_UNIT_TOOLKIT),
    };
    return unit->host <= input->hosts_count && unit->kind < UNIT_BROKEN &&
           read_input_range(input, entry + SNAPSHOT_UNIT_OFFSET, &unit->contents) &&
           read_snapshot_text(snapshot, entry + SNAPSHOT_UNIT_NAME, &unit->name) &&
           read_snapshot_part(snapshot, entry + SNAPSHOT_UNIT_FACTS, &unit->facts) &&
           read_snapshot_part(snapshot, entry + SNAPSHOT_UNIT_CODE, &unit->code);
}

bool prepared_snapshot_host(struct bytes snapshot, const struct prepared_input *input,
                            uint32_t index, struct host_object *host)
{
    const uint8_t *entry = snapshot.data + SNAPSHOT_HEAD_SIZE +
                           (uint64_t)input->units_count * SNAPSHOT_UNIT_ENTRY_SIZE +
                           (uint64_t)index * SNAPSHOT_HOST_ENTRY_SIZE;
    uint32_t flags = load_u32(entry + SNAPSHOT_HOST_FLAGS);
    *host = (struct host_object){
        .machine = (uint16_t)load_u32(entry + SNAPSHOT_HOST_MACHINE),
        .is_relocatable = true,
        .has_device_code = flags >> HOST_REFERENCE_COUNT & 1,
    };
    for (size_t kind = 0; kind < HOST_REFERENCE_COUNT; kind++) {
        host->has_references[kind] = flags >> kind & 1;
        if (!read_snapshot_text(snapshot, entry + SNAPSHOT_HOST_REFERENCES + 8 * kind,
                                &host->references[kind]))
            return false;
    }
    return read_input_range(input, entry + SNAPSHOT_HOST_CODE, &host->relocatable_code) &&
           read_input_range(input, entry + SNAPSHOT_HOST_LINKED, &host->linked_code) &&
           read_snapshot_text(snapshot, entry + SNAPSHOT_HOST_IDS, &host->module_ids);
}
