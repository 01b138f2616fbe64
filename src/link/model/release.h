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

/* Changes, with the first release that has each. Name and comment together are a sentence: from
 * 13.1 on, a release "aligns extern shared memory to its declared alignment". Changes of .nv.compat
 * are in compat.c, and those of attributes in info_attribute.def. */
enum release {
    RELEASE_ALIGNS_EXTERN_SHARED = 131,  /* to its declared alignment, see layout_extern_shared.c */
    RELEASE_LISTS_EXTERNS_FORWARD = 132, /* EXTERNS records in links with one kernel */
    RELEASE_COUNTS_OTHER_FEATURES = 133, /* combines the objects' features; see compat.c */
    RELEASE_LISTS_WEAK_AS_GLOBAL = 134,  /* symbols that were weak when first read */
    RELEASE_HAS_MERCURY_CALLS = 134,     /* call graph and prototypes in the Mercury view */
    RELEASE_PACKS_HEADERS = 135,         /* after the last section, from sm_100 on */
    RELEASE_LEAVES_NO_REL_NAMES = 135,   /* for .rela lists in which some addends are 0 */
    RELEASE_ORDERS_MERCURY_AS_NATIVE = 135, /* the order of sections */
    RELEASE_NAMES_ONLY_WRITTEN = 135,       /* names in string tables, from sm_100 on */
    RELEASE_KEEPS_NULL_SYMBOL = 135, /* its value does not change when constants are compared */
    RELEASE_SIZES_NO_ALIASES = 135,  /* from sm_100 on, even if the name of the alias comes first */
    RELEASE_RESERVES_NOTHING_NATIVE = 135, /* from sm_100 on with --disable-smem-reservation */
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

/* Returns NULL if the release does not know the code. */
static inline const struct info_attribute *link_attribute(const link_context *link, uint8_t code)
{
    const struct info_attribute *attribute = info_attribute_find(code);
    return attribute && attribute->toolkit <= link->toolkit ? attribute : NULL;
}

#endif
