/* No later pass may change what a pass freezes.
 *
 * With WARPLD_CHECK_FROZEN, which sanitized builds have, a fingerprint of each frozen thing is
 * compared after every later pass; a change ends the process with the names of the pass and of the
 * thing. Other builds compare nothing. */
#ifndef WARPLD_LINK_FROZEN_H
#define WARPLD_LINK_FROZEN_H

#include <stdint.h>

#include "link/model/link_context.h"

enum frozen {
#define FROZEN(name, text, adder) FROZEN_##name,
#include "link/frozen.def"
#undef FROZEN
    FROZEN_COUNT,
};

struct fingerprints {
    unsigned taken; /* bits of enum frozen: the things whose fingerprint is in `of` */
    uint64_t of[FROZEN_COUNT];
};

/* Compares each frozen thing with its fingerprint, and takes the fingerprints of what the pass
 * freezes. */
void fingerprints_update(struct fingerprints *prints, const link_context *link, const char *pass,
                         unsigned freezes);

#endif
