/* Queries about shared memory that several passes need; see shared.h. */
#include "link/model/shared.h"

#include "format/elf.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

struct function *shared_section_owner(const struct function *kernel)
{
    return kernel->shared ? kernel->shared->owner : (struct function *)kernel;
}

void shared_add_own(link_context *link, struct function *kernel, struct shared_variable *variable)
{
    struct shared_memory *memory = function_add_shared_memory(link, kernel);
    *ARENA_APPEND(&link->arena, memory, variables) = variable;
}

bool shared_keeps_name(const link_context *link, const struct symbol *symbol)
{
    uint8_t visibility = symbol->other & STO_VISIBILITY;
    if (link_is_for_debugger(link))
        return visibility != STV_INTERNAL || link->options.preserve_relocations;
    if (link->options.preserve_relocations)
        return !symbol_is_extern_shared(symbol) ||
               (link_shared_reserved(link) && !link_has_mercury(link));
    return !symbol_is_extern_shared(symbol) &&
           (visibility == STV_HIDDEN || visibility == STV_PROTECTED);
}
