/* How releases of CUDA 13 differ from 13.0.
 *
 * The output is that of the nvlink of one release: WARPLD_TOOLKIT_VERSION or, if newer objects are
 * allowed, the newest release that compiled one of the objects. Each fact was observed with objects
 * of ptxas 13.1 to 13.5 and the outputs of the nvlink of the same release. */
#ifndef WARPLD_LINK_MODEL_RELEASE_H
#define WARPLD_LINK_MODEL_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/info_record.h"
#include "link/model/link_context.h"

/* Changes of nvlink and the first release that has each; a comment is true from that release on.
 * Changes of .nv.compat are in compat.c, those of attributes in info_attribute.def. */
enum release {
    /* Extern shared memory has its declared alignment; see layout_extern_shared.c. */
    RELEASE_ALIGNS_EXTERN_SHARED = 131,
    /* In a link with one kernel, the symbols of EXTERNS records are in forward order. */
    RELEASE_LISTS_EXTERNS_FORWARD = 132,
    /* The features of all objects are combined; see compat.c. */
    RELEASE_COUNTS_OTHER_FEATURES = 133,
    /* A symbol is in the list of global symbols if its first definition or reference is weak. */
    RELEASE_LISTS_WEAK_AS_GLOBAL = 134,
    /* The Mercury view, too, has the call graph and the prototypes. */
    RELEASE_HAS_MERCURY_CALLS = 134,
    /* From sm_100 on, the section headers follow the last section without alignment. */
    RELEASE_PACKS_HEADERS = 135,
    /* A .rela list with addends 0 does not add the name of an empty .rel list. */
    RELEASE_LEAVES_NO_REL_NAMES = 135,
    /* Mercury sections are in the order of native ones. */
    RELEASE_ORDERS_MERCURY_AS_NATIVE = 135,
    /* From sm_100 on, string tables hold only the names that the output uses. */
    RELEASE_NAMES_ONLY_WRITTEN = 135,
    /* The value of symbol 0 does not depend on user constants; see layout_constant.c. */
    RELEASE_KEEPS_NULL_SYMBOL = 135,
    /* From sm_100 on, an alias keeps its own size, even if its name is the first one of the code;
       see native_size. */
    RELEASE_SIZES_NO_ALIASES = 135,
    /* From sm_100 on, --disable-smem-reservation also applies to native symbol values. */
    RELEASE_RESERVES_NOTHING_NATIVE = 135,
};

static inline bool link_follows(const link_context *link, enum release release)
{
    return link->toolkit >= release;
}

/* Whether string tables hold only the names of sections and symbols that are written, in the order
 * of the output. */
static inline bool release_names_only_written(const link_context *link)
{
    return link_has_mercury(link) && link_follows(link, RELEASE_NAMES_ONLY_WRITTEN);
}

/* Returns the row of info_attribute.def for the code; NULL if the release does not know the code.
 */
static inline const struct info_attribute *link_attribute(const link_context *link, uint8_t code)
{
    const struct info_attribute *attribute = info_attribute_find(code);
    return attribute && attribute->toolkit <= link->toolkit ? attribute : NULL;
}

#endif
