/* Checks that two declarations of one name agree. */
#ifndef WARPLD_LINK_RESOLVE_CONFLICTS_H
#define WARPLD_LINK_RESOLVE_CONFLICTS_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

/* Whether the declaration `input` of an object agrees with `known`, the program's symbol of that
 * name, which describes the declarations read so far. Reports each conflict, in nvlink's order. */
bool conflicts_check(link_context *link, const struct symbol *known,
                     const struct input_object *object, const struct elf_symbol *input);

/* Whether a function agrees with the first symbol of its name: either both are kernels, or neither
 * is. The first symbol may be a static function of an earlier object. */
bool conflicts_check_entry(link_context *link, const struct symbol *first,
                           const struct input_object *object, const struct elf_symbol *input);

/* Whether a texture, sampler or surface reference agrees with the first symbol of its name. */
bool conflicts_check_texture(link_context *link, const struct symbol *first,
                             const struct input_object *object, const struct elf_symbol *input);

/* Whether a common symbol, of `common_size` bytes, is no larger than the initialised definition of
 * its name, of `size` bytes. If it is larger, an error is reported. */
bool conflicts_check_common(link_context *link, const struct symbol *known, uint64_t common_size,
                            uint64_t size, const struct input_object *common_object);

/* Whether the definition has initial contents in global memory. */
bool conflicts_is_initialised(const struct input_object *object, const struct elf_symbol *input);
bool conflicts_known_is_initialised(const struct symbol *known);

#endif
