/* The table of attributes; see info_record.h. */
#include "format/info_record.h"

#include <stddef.h>

/* The minimum size of the attribute's payload in bytes. elf_view_open refuses shorter payloads, so
 * readers need not check the size. */
#define LEAST(code, payload)                                                                       \
    (INFO_PAYLOAD_##payload == INFO_PAYLOAD_SYMBOL_WORDS ||                                        \
             INFO_PAYLOAD_##payload == INFO_PAYLOAD_SYMBOL_BANK                                    \
         ? 8                                                                                       \
     : INFO_PAYLOAD_##payload == INFO_PAYLOAD_PARAMETER                     ? 12                   \
     : (code) == EIATTR_CRS_STACK_SIZE || (code) == EIATTR_CUDA_API_VERSION ? 4                    \
                                                                            : 0)

/* True if records of the attribute must have the format in the table. This does not apply if the
 * link only copies the records: a newer compiler may write another format, and nvlink copies
 * records of any known format. Records of codes above EIATTR_ERROR_LAST are only copied, because
 * toolkit 13.0 does not know these codes. */
#define IS_BOUND(code, symbols, merge, propagation)                                                \
    ((code) <= EIATTR_ERROR_LAST &&                                                                \
     (INFO_SYMBOLS_##symbols != INFO_SYMBOLS_NO || INFO_MERGE_##merge != INFO_MERGE_COPY ||        \
      INFO_PROPAGATION_##propagation != INFO_PROPAGATION_NOTHING ||                                \
      (code) == EIATTR_MAXREG_COUNT))

const struct info_attribute INFO_ATTRIBUTES[INFO_CODE_COUNT] = {
#define ATTRIBUTE(code, name, format, symbols, payload, merge, propagation, toolkit)               \
    {#name,                                                                                        \
     code,                                                                                         \
     INFO_FORMAT_##format,                                                                         \
     INFO_SYMBOLS_##symbols,                                                                       \
     INFO_PAYLOAD_##payload,                                                                       \
     INFO_MERGE_##merge,                                                                           \
     INFO_PROPAGATION_##propagation,                                                               \
     toolkit,                                                                                      \
     LEAST(code, payload),                                                                         \
     IS_BOUND(code, symbols, merge, propagation)},
#include "format/info_attribute.def"
#undef ATTRIBUTE
};
