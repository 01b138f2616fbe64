/* Finds the input that code comes from. Link-time optimisation makes one object from many inputs.
 * With -lineinfo, the line table of the PTX names the source files of this object's functions. */
#ifndef WARPLD_LINK_NOTES_CODE_ORIGIN_H
#define WARPLD_LINK_NOTES_CODE_ORIGIN_H

#include "link/model/link_context.h"

struct symbol;

/* Returns the name of the input that a symbol comes from, which is usually the name of its object.
 * For a function that the optimiser compiled, the name is "lto.cubin:a.cu" if the line table of the
 * PTX names the source file. All functions of a source file get the same pointer. */
const char *code_origin(link_context *link, const struct symbol *symbol);

#endif
