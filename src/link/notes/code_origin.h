/* Where code comes from: finds the input that contained it. This is known even after link-time
 * optimisation, whose output is one object. */
#ifndef WARPLD_LINK_NOTES_CODE_ORIGIN_H
#define WARPLD_LINK_NOTES_CODE_ORIGIN_H

#include "link/model/link_context.h"

struct symbol;

/* The input that a symbol comes from: the name of its object or, for a function that the optimiser
 * compiled, "lto.cubin:a.cu" if the line table of the PTX says so. Functions of one source file
 * have the same pointer. */
const char *code_origin(link_context *link, const struct symbol *symbol);

#endif
