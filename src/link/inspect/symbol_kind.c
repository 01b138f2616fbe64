/* The kind of a symbol; see symbol_kind.h. */
#include "link/inspect/symbol_kind.h"

#include "format/elf.h"
#include "link/model/symbols.h"

static enum warpld_symbol_kind kind_in_memory(const struct symbol *symbol)
{
    switch (symbol->other & STO_CUDA_SPACE) {
    case STO_CUDA_GLOBAL:
        return WARPLD_SYMBOL_GLOBAL;
    case STO_CUDA_CONSTANT:
        return WARPLD_SYMBOL_CONSTANT;
    case STO_CUDA_SHARED:
    case STO_CUDA_RESERVED_SHARED:
        return WARPLD_SYMBOL_SHARED;
    case STO_CUDA_LOCAL:
        return WARPLD_SYMBOL_LOCAL;
    default:
        return WARPLD_SYMBOL_OTHER;
    }
}

enum warpld_symbol_kind symbol_kind(const struct symbol *symbol)
{
    if (symbol->function)
        return symbol->function->kernel ? WARPLD_SYMBOL_KERNEL : WARPLD_SYMBOL_FUNCTION;
    if (symbol_is_function(symbol))
        return WARPLD_SYMBOL_FUNCTION;
    if (symbol->is_texture || symbol_type_is_texture(symbol->type))
        return WARPLD_SYMBOL_TEXTURE;
    return kind_in_memory(symbol);
}
