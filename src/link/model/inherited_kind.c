/* The attributes that kernels inherit; see inherited_kind.h. */
#include "link/model/inherited_kind.h"

#include "link/model/symbols.h"

/* The code and format of each kind's records. info_attribute.def says how each attribute is
 * inherited. */
static const struct inherited_attribute KINDS[INHERITED_COUNT] = {
    [INHERITED_BARRIERS] = {EIATTR_NUM_BARRIERS, INFO_FORMAT_BYTE},
    [INHERITED_EXTERNS] = {EIATTR_EXTERNS, INFO_FORMAT_SIZED},
    [INHERITED_FRAGMENTS] = {EIATTR_AT_ENTRY_FRAGMENTS, INFO_FORMAT_SIZED},
    [INHERITED_MBARRIERS] = {EIATTR_NUM_MBARRIERS, INFO_FORMAT_HALF},
    [INHERITED_RESERVED_SHARED] = {EIATTR_RESERVED_SMEM_USED, INFO_FORMAT_NONE},
    [INHERITED_CTAIDZ] = {EIATTR_CTAIDZ_USED, INFO_FORMAT_NONE},
    [INHERITED_CTA_INIT_COUNT] = {EIATTR_VRC_CTA_INIT_COUNT, INFO_FORMAT_BYTE},
    [INHERITED_TCGEN05_1CTA] = {EIATTR_TCGEN05_1CTA_USED, INFO_FORMAT_NONE},
    [INHERITED_TCGEN05_2CTA] = {EIATTR_TCGEN05_2CTA_USED, INFO_FORMAT_NONE},
    [INHERITED_CLUSTER_LAUNCH] = {EIATTR_CLUSTER_LAUNCH_CONTROL_USED, INFO_FORMAT_NONE},
    [INHERITED_REG_RECONFIG] = {EIATTR_REG_RECONFIG, INFO_FORMAT_NONE},
};

struct inherited_attribute inherited_attribute(enum inherited_kind kind)
{
    return KINDS[kind];
}

enum inherited_kind inherited_kind_find(uint8_t code)
{
    for (int kind = 0; kind < INHERITED_COUNT; kind++)
        if (KINDS[kind].code == code)
            return (enum inherited_kind)kind;
    return INHERITED_COUNT;
}
