/* Merges shared memory: the variables of the inputs, and the sections of kernels. */
#ifndef WARPLD_LINK_MERGE_MERGE_SHARED_H
#define WARPLD_LINK_MERGE_MERGE_SHARED_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* Makes a kernel's .nv.shared.K. */
void merge_add_shared(struct warpld_link *link, struct function *kernel);

/* Makes the .nv.shared.K of a kernel if add_function_sections (merge.c) did not make it together
 * with the code. Called in these cases:
 *
 *   - The first shared variable of the kernel is merged.
 *   - The kernel is in a whole program, and its section of shared memory is merged.
 *   - layout_shared finds that the kernel still lacks the section.
 *   - The kernel is removed because host code does not refer to it, or the function is removed and
 *     has the name of a system function, or a symbol of a removed function is in its .nv.shared.K.
 *     The section is then dropped, but its name remains in the string tables. */
void merge_late_shared(struct warpld_link *link, struct function *kernel);

/* With -r: appends an input section of shared memory, whose variables keep their offsets. */
void merge_kept_shared(struct warpld_link *link, struct input_object *object, uint32_t section);

/* Merges a shared symbol, defined or not. */
void merge_shared_symbol(struct warpld_link *link, struct input_object *object, uint32_t index,
                         const struct elf_symbol *input);

/* Merges a variable in the reserved shared memory of the system. Makes the section for it if there
 * is none. */
void merge_reserved_shared(struct warpld_link *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input);

/* Adopts the layout that the compiler chose for the shared memory of kernels of whole programs.
 * Part of pass_merge. */
void whole_programs_place(link_context *link, struct input_object *object);

#endif
