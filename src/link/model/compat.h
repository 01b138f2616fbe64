/* `.nv.compat`: what the program requires of the hardware that runs it. */
#ifndef WARPLD_LINK_MODEL_COMPAT_H
#define WARPLD_LINK_MODEL_COMPAT_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Combines an object's records with those of earlier objects, and warns if the section lacks a
 * record that nvlink expects. This is part of resolve: with -Werror the link ends after that
 * object, before later ones are read (observed). */
void compat_read(link_context *link, const struct input_object *object,
                 const struct elf_section *section);

/* Whether the object runs on its own SM only, as objects for sm_90a, sm_100a and sm_120a do. Their
 * file headers do not say so. */
bool compat_is_accelerated(const struct input_object *object);

/* Whether the object's code runs on the target of the link. Code for an "a" target does not even
 * run on other members of its family (objects for 23 targets with each of 23 targets). */
bool compat_runs_on_target(const link_context *link, const struct input_object *object);

/* Creates the section if the target has one. */
void compat_start(link_context *link);

/* Writes the combined records. */
void compat_finish(link_context *link);

#endif
