/* Rules for links with whole programs, which are the objects of nvcc -ewp. In such an object, the
 * code of each kernel includes all functions that it calls, except those of the device runtime. */
#ifndef WARPLD_LINK_MODEL_WHOLE_PROGRAMS_H
#define WARPLD_LINK_MODEL_WHOLE_PROGRAMS_H

#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"

bool object_is_whole_program(const struct input_object *object);

/* Notes whether the object is a whole program. Returns false if the link has a whole program and
 * this object is of another toolkit. */
bool whole_programs_accept(link_context *link, const struct input_object *object);

/* Returns false if a relocatable link must not combine the object with those read so far. A
 * relocatable output can hold either whole programs or ordinary objects, because the ELF type of
 * the file says which. */
bool whole_programs_join(link_context *link, const struct input_object *object);

/* Warns about an ordinary object that is linked with whole programs. pass_resolve calls this. */
void whole_programs_check(link_context *link, const struct input_object *object);

/* Reports the kernel as an error if it is in a whole program and would use the shared variable of
 * another object. pass_layout_shared calls this. */
void whole_programs_refuse(link_context *link, const struct symbol *variable,
                           const struct function *kernel);

#endif
