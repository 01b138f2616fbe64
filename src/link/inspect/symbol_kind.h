/* The kind of a symbol, for the public interface. */
#ifndef WARPLD_LINK_INSPECT_SYMBOL_KIND_H
#define WARPLD_LINK_INSPECT_SYMBOL_KIND_H

#include "warpld.h"

struct symbol;

enum warpld_symbol_kind symbol_kind(const struct symbol *symbol);

#endif
