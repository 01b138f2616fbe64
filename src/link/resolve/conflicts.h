/* Checks that two declarations of one name agree. */
#ifndef WARPLD_LINK_RESOLVE_CONFLICTS_H
#define WARPLD_LINK_RESOLVE_CONFLICTS_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether an object's declaration agrees with what is known about the name. Each conflict is
 * reported, in nvlink's order. */
bool conflicts_check(link_context *link, const struct symbol *known,
                     const struct input_object *object, const struct elf_symbol *input);

/* Whether a function agrees with the first symbol of its name: either both are kernels, or neither
 * is. The first symbol may be a static function of an earlier object. */
bool conflicts_check_entry(link_context *link, const struct symbol *first,
                           const struct input_object *object, const struct elf_symbol *input);

/* Whether a texture, sampler or surface reference agrees with the first symbol of its name. */
bool conflicts_check_texture(link_context *link, const struct symbol *first,
                             const struct input_object *object, const struct elf_symbol *input);

/* Whether a common symbol is no larger than the initialised definition of its name. If it is
 * larger, that is reported. */
bool conflicts_check_common(link_context *link, const struct symbol *known, uint64_t common_size,
                            uint64_t size, const struct input_object *common_object);

/* Whether the definition has initial contents in global memory. */
bool conflicts_is_initialised(const struct input_object *object, const struct elf_symbol *input);
bool conflicts_known_is_initialised(const struct symbol *known);

#endif
