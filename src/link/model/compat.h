/* Merges `.nv.compat`, the section that says what the program requires of the hardware. */
#ifndef WARPLD_LINK_MODEL_COMPAT_H
#define WARPLD_LINK_MODEL_COMPAT_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Combines an object's records with those of earlier objects, and warns if the section lacks a
 * record that nvlink expects. This happens in pass_resolve, object by object, because with -Werror
 * nvlink ends the link at the warning, before it reads later objects (observed). */
void compat_read(link_context *link, const struct input_object *object,
                 const struct elf_section *section);

/* Whether the object's code runs only on the SM that it was compiled for. This is so for objects
 * for sm_90a, sm_100a and sm_120a, although their file headers do not say so. */
bool compat_is_accelerated(const struct input_object *object);

/* Whether the object's code runs on the target of the link. Code for an "a" target does not run
 * on any other SM, not even on members of its family (23 targets tried with objects for each of
 * them). */
bool compat_runs_on_target(const link_context *link, const struct input_object *object);

/* Creates the output section, if outputs for the target have one. */
void compat_start(link_context *link);

/* Writes the combined records. */
void compat_finish(link_context *link);

#endif
