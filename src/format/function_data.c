/* Reads data about functions; see function_data.h. */
#include "format/function_data.h"

#include "format/elf.h"

bool function_data_next(struct bytes *rest, struct function_data *record)
{
    struct bytes header, pairs;
    if (!bytes_part(*rest, 0, FUNCTION_DATA_HEADER, &header))
        return false;
    record->symbol = load_u32(header.data);
    record->name = load_u32(header.data + 4);
    record->count = load_u32(header.data + 8);
    uint64_t size = (uint64_t)ELF_PAIR_SIZE * record->count;
    if (!bytes_part(*rest, FUNCTION_DATA_HEADER, size, &pairs))
        return false;
    record->pairs = pairs.data;
    rest->data += FUNCTION_DATA_HEADER + size;
    rest->size -= FUNCTION_DATA_HEADER + size;
    return true;
}

struct elf_pair function_data_pair(const struct function_data *record, uint32_t index)
{
    const uint8_t *pair = record->pairs + ELF_PAIR_SIZE * (uint64_t)index;
    return (struct elf_pair){load_u32(pair), (int32_t)load_u32(pair + 4)};
}
