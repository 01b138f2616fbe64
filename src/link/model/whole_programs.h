/* Objects of nvcc -ewp: kernels with all that they call in their code, but for the device runtime.
 */
#ifndef WARPLD_LINK_MODEL_WHOLE_PROGRAMS_H
#define WARPLD_LINK_MODEL_WHOLE_PROGRAMS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

bool object_is_whole_program(const struct input_object *object);

/* Notes that the link has such an object; false when there is one and this object is of another
 * toolkit. */
bool whole_programs_accept(link_context *link, const struct input_object *object);

/* False when it must not be joined with the objects read so far: the type of a file tells which of
 * the two it is. */
bool whole_programs_join(link_context *link, const struct input_object *object);

/* Warns of an object that such objects should not be linked with. Part of resolve. */
void whole_programs_check(link_context *link, const struct input_object *object);

/* Reports a kernel of such an object that uses a shared variable. Part of layout_shared. */
void whole_programs_refuse(link_context *link, const struct symbol *variable,
                           const struct function *kernel);

#endif
