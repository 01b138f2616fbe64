/* The two views of an object's code, and how they correspond.
 *
 * From sm_100 on an object holds all that concerns code twice: the native sections and, with
 * `.nv.capmerc` or `.nv.merc` before their names, those of the Mercury form, from which a driver
 * can make code for other devices. Both views have the same symbols at the same indices, and their
 * relocations of code stand in the same order, but offsets in Mercury code count its expanded form.
 *
 * Output sections come to be in pairs (`counterpart`), and what is appended to one is appended to
 * both, so that merge, properties, scan and apply keep the views in step. */
#ifndef WARPLD_LINK_MODEL_VIEWS_H
#define WARPLD_LINK_MODEL_VIEWS_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"

/* Finds the form of each section in the other view, or reports what does not correspond. */
bool views_pair(link_context *link, struct input_object *object);

/* The name by which strings know a section while it is merged: constant banks have their Mercury
 * names until the native ones are put over them (observed in both string tables). */
struct linked_name *views_merged_name(link_context *link, struct linked_name *name);

/* The name of a section's counterpart. Equal ones are not one: two static functions of one name
 * have two sections of one name. */
struct linked_name *views_counterpart_name(link_context *link, struct linked_name *merged_name,
                                           bool is_code);

/* The Mercury relocations of a native section; 0 none. */
uint32_t views_relocations_of(const struct input_object *object, uint32_t native);

/* Entries of Mercury code that have no native one say NO_PARTNER; native may be NULL. */
#define NO_PARTNER UINT32_MAX

/* By entry of Mercury code its partner in the native list, which stands in the same order with the
 * same symbols; the system's shared memory may be referred to by the Mercury code alone. False when
 * the lists do not correspond. partners: NULL, or room for all. */
bool views_partners(const struct input_object *object, const struct elf_section *native,
                    const struct elf_section *mercury, uint32_t *partners);

/* What entries are for, as the native view has it: all that is asked of places is asked of that. */
const struct elf_section *relocation_native_section(const struct input_object *object,
                                                    const struct elf_section *relocations);

#endif
