/* Agreement between the inputs that no single symbol shows.
 *
 * Requires: resolved names. Reports prototypes that differ between a reference and the definition of
 * a function; resolve has compared what symbol tables say, load what a file's header says. */
#include <assert.h>

#include "link/link.h"

void check_inputs(link_context *link)
{
    assert(link->stage == STAGE_RESOLVED);
    (void)link;
}
