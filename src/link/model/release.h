/* What releases of CUDA 13 do otherwise than 13.0.
 *
 * An output is that of WARPLD_TOOLKIT_VERSION, or where newer objects are allowed of the newest of
 * them: compilers and linkers of one release fit together. Each fact was observed with objects of
 * the ptxas of 13.1 to 13.5 and what the nvlink of that release makes of them. */
#ifndef WARPLD_LINK_MODEL_RELEASE_H
#define WARPLD_LINK_MODEL_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/info_record.h"
#include "link/model/link_context.h"

/* Each from this one on; compat.c and info_attribute.def have more. */
enum release {
    RELEASE_ALIGNS_EXTERN_SHARED = 131,     /* as it is declared, see layout_extern_shared.c */
    RELEASE_LISTS_EXTERNS_FORWARD = 132,    /* that the only kernel of a link inherits */
    RELEASE_COUNTS_OTHER_FEATURES = 133,    /* than 13.0: the objects' own are joined; compat.c */
    RELEASE_LISTS_WEAK_AS_GLOBAL = 134,     /* symbols that were weak when they were first read */
    RELEASE_HAS_MERCURY_CALLS = 134,        /* call graph and prototypes in the Mercury view */
    RELEASE_PACKS_HEADERS = 135,            /* behind the last section, from sm_100 on */
    RELEASE_LEAVES_NO_REL_NAMES = 135,      /* of lists whose addends are 0 */
    RELEASE_ORDERS_MERCURY_AS_NATIVE = 135, /* its sections */
    RELEASE_NAMES_ONLY_WRITTEN = 135,       /* in string tables, from sm_100 on */
    RELEASE_KEEPS_NULL_SYMBOL = 135,        /* as it is when it compares constants */
    RELEASE_SIZES_NO_ALIASES = 135,         /* from sm_100 on, though their names come first */
    RELEASE_RESERVES_NOTHING_NATIVE = 135,  /* from sm_100 on with --disable-smem-reservation */
};

static inline bool link_follows(const link_context *link, enum release release)
{
    return link->toolkit >= release;
}

/* Leftovers have no place in the string tables: names come when all is in order. */
static inline bool release_names_only_written(const link_context *link)
{
    return link_has_mercury(link) && link_follows(link, RELEASE_NAMES_ONLY_WRITTEN);
}

/* NULL: the release does not know the code. */
static inline const struct info_attribute *link_attribute(const link_context *link, uint8_t code)
{
    const struct info_attribute *attribute = info_attribute_find(code);
    return attribute && attribute->toolkit <= link->toolkit ? attribute : NULL;
}

#endif
