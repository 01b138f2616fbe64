/* The two views of an object's code, and how they correspond.
 *
 * From sm_100 on an object contains everything about code twice: in native sections, and in Mercury
 * sections, whose names begin with `.nv.capmerc` or `.nv.merc`. From the Mercury form a driver can
 * make code for other devices. Two sections that correspond are counterparts:
 *
 *     native                         Mercury
 *     .text.k              <------>  .nv.capmerc.text.k
 *     .rela.text.k         <------>  .nv.merc.rela.text.k
 *     .nv.info.k           <------>  .nv.merc.nv.info.k
 *     .nv.constant3        <------>  .nv.merc.nv.constant.user
 *     .symtab                        .nv.merc.symtab
 *
 * Both views have the same symbols at the same indices, and their relocations of code are in the
 * same order. But offsets in Mercury code are offsets in its expanded form.
 *
 * Output sections are created in pairs (`counterpart`), and a section that is appended to one of
 * them has its counterpart appended to the other. So merge, properties, scan and apply keep the
 * views consistent. */
#ifndef WARPLD_LINK_MODEL_VIEWS_H
#define WARPLD_LINK_MODEL_VIEWS_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"

/* Finds the counterpart of each section, and checks that the two views agree. Reports the first
 * section that lacks a counterpart or differs from it, and returns false. */
bool views_pair(link_context *link, struct input_object *object);

/* Returns the name that nvlink first stores in the string tables for a section. For constant banks
 * it is the Mercury name, which the native name later replaces (observed in both string tables). */
struct linked_name *views_merged_name(link_context *link, struct linked_name *name);

/* Creates the name of a section's counterpart. Each call creates an entry, even if the text is the
 * same: two static functions with the same name have two sections with the same name. */
struct linked_name *views_counterpart_name(link_context *link, struct linked_name *merged_name,
                                           bool is_code);

/* Returns the index of the section with the Mercury relocations of a native section; 0 if there is
 * none. */
uint32_t views_relocations_of(const struct input_object *object, uint32_t native);

/* In the array `partners` of views_partners: the Mercury relocation has no partner. */
#define NO_PARTNER UINT32_MAX

/* Finds the partner of each relocation of Mercury code: the native relocation that corresponds to
 * it. Both lists have the same symbols in the same order. But some Mercury relocations may lack a
 * partner: those that refer to the system's shared memory, and those of return addresses in whole
 * programs. `native` may be NULL.
 *
 * `partners` may be NULL; otherwise it receives, for each Mercury entry, the index of its partner
 * in the native list. Returns false if the lists do not correspond. */
bool views_partners(const struct input_object *object, const struct elf_section *native,
                    const struct elf_section *mercury, uint32_t *partners);

/* Returns the section to which the relocations apply, or its native counterpart if it is a Mercury
 * section. The native section holds all properties of a relocated section. */
const struct elf_section *relocation_native_section(const struct input_object *object,
                                                    const struct elf_section *relocations);

#endif
