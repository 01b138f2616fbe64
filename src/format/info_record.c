/* Records of .nv.info sections; see info_record.h. */
#include "format/info_record.h"

#include <stddef.h>

static const struct info_attribute ATTRIBUTES[] = {
#define ATTRIBUTE(code, name, format, symbols, payload, merge, propagation, toolkit)               \
    {#name,                                                                                        \
     code,                                                                                         \
     INFO_FORMAT_##format,                                                                         \
     INFO_SYMBOLS_##symbols,                                                                       \
     INFO_PAYLOAD_##payload,                                                                       \
     INFO_MERGE_##merge,                                                                           \
     INFO_PROPAGATION_##propagation,                                                               \
     toolkit},
#include "format/info_attribute.def"
#undef ATTRIBUTE
};

const struct info_attribute *info_attribute_find(unsigned code)
{
    return code < sizeof ATTRIBUTES / sizeof *ATTRIBUTES ? &ATTRIBUTES[code] : NULL;
}

bool info_record_next(struct bytes *rest, struct info_record *record)
{
    if (rest->size < 4)
        return false;
    record->format = rest->data[0];
    record->code = rest->data[1];
    record->value = load_u16(rest->data + 2);
    record->payload = NULL;
    uint64_t size = 4;
    if (record->format == INFO_FORMAT_SIZED) {
        if (record->value > rest->size - 4)
            return false;
        record->payload = rest->data + 4;
        size += record->value;
    }
    rest->data += size;
    rest->size -= size;
    return true;
}
