/* The attributes that kernels inherit from the functions that they reach. */
#ifndef WARPLD_LINK_MODEL_INHERITED_KIND_H
#define WARPLD_LINK_MODEL_INHERITED_KIND_H

#include "format/info_record.h"
#include "link/model/link_context.h"
#include "link/model/release.h"
#include "link/model/symbols.h"

/* The attribute code and format of a kind's records. */
struct inherited_attribute {
    uint8_t code;
    uint8_t format;
};

struct inherited_attribute inherited_attribute(enum inherited_kind kind);

static inline bool inherited_kind_is_list(enum inherited_kind kind)
{
    return kind == INHERITED_EXTERNS || kind == INHERITED_FRAGMENTS;
}

/* Both functions return the kind of an attribute code, or INHERITED_COUNT if kernels do not inherit
 * the attribute. inherited_kind also returns INHERITED_COUNT if the link's release does not know
 * the code. */
enum inherited_kind inherited_kind_find(uint8_t code);
static inline enum inherited_kind inherited_kind(const link_context *link, uint8_t code)
{
    const struct info_attribute *attribute = link_attribute(link, code);
    bool inherits = attribute && attribute->propagation != INFO_PROPAGATION_NOTHING;
    return inherits ? inherited_kind_find(code) : INHERITED_COUNT;
}

#endif
