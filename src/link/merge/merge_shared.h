/* Shared memory of the inputs, as merge walks the objects. */
#ifndef WARPLD_LINK_MERGE_MERGE_SHARED_H
#define WARPLD_LINK_MERGE_MERGE_SHARED_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"

/* .nv.shared.K. */
void merge_add_shared(struct warpld_link *link, struct function *kernel);

/* A kernel that no word of -kernels-used names gets its shared memory with its first variable; that
 * of a removed one leaves its name. */
void merge_late_shared(struct warpld_link *link, struct function *kernel);

/* With -r an input's section of shared memory stays. */
void merge_kept_shared(struct warpld_link *link, struct input_object *object, uint32_t section);

/* A shared symbol, defined or not. */
void merge_shared_symbol(struct warpld_link *link, struct input_object *object, uint32_t index,
                         const struct elf_symbol *input);

/* A variable in the shared memory that the system reserves; its section is made with the first. */
void merge_reserved_shared(struct warpld_link *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input);

/* Takes over what shared memory the kernels have. Part of merge. */
void whole_programs_place(link_context *link, struct input_object *object);

#endif
