/* `.nv.compat`: what the program asks of the hardware it runs on. */
#ifndef WARPLD_LINK_MODEL_COMPAT_H
#define WARPLD_LINK_MODEL_COMPAT_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* An object's records join those of the objects before it; warns of a section that lacks what
 * nvlink asks for. Part of resolve: with -Werror the link ends behind that object, before others
 * are read (observed). */
void compat_read(link_context *link, const struct input_object *object,
                 const struct elf_section *section);

/* Whether the object is for its own SM alone, as those for sm_90a, sm_100a or sm_120a are, whose
 * headers do not tell. */
bool compat_is_accelerated(const struct input_object *object);

/* Makes the section of targets that have one. */
void compat_start(link_context *link);

/* Writes down what the objects came to. */
void compat_finish(link_context *link);

#endif
