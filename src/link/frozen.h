/* Checks that no pass changes what an earlier pass has frozen.
 *
 * Sanitized builds define WARPLD_CHECK_FROZEN. They compare a fingerprint of each frozen thing
 * after every later pass. A change ends the process with the names of the pass and of the thing.
 * Other builds compare nothing. */
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
    unsigned taken; /* bits of enum frozen: which elements of `of` are set */
    uint64_t of[FROZEN_COUNT];
};

/* Compares each frozen thing with its fingerprint. Then takes fingerprints of the things that the
 * pass `pass` freezes, whose bits are set in `freezes`. */
void fingerprints_update(struct fingerprints *prints, const link_context *link, const char *pass,
                         unsigned freezes);

#endif
