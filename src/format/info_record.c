/* Records of .nv.info sections; see info_record.h. */
#include "format/info_record.h"

#include <stddef.h>

const struct info_attribute INFO_ATTRIBUTES[INFO_CODE_COUNT] = {
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
