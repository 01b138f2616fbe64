/* Functions of pass_merge that one file of this folder defines and others call. */
#ifndef WARPLD_LINK_MERGE_MERGE_H
#define WARPLD_LINK_MERGE_MERGE_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Merges the symbols of an object that are not functions, and the sections that define them. */
void merge_variables(link_context *link, struct input_object *object);

/* Merges the attributes of one input section into `output`. `function` is the function that they
 * belong to, or NULL for attributes of the whole object. For a removed function `output` and
 * `function` are both NULL: its records are read, but not written. */
void merge_records(link_context *link, struct input_object *object, const struct elf_section *input,
                   struct output_section *output, struct function *function);

/* Appends a debug section to the output section of its name. */
void debug_merge(link_context *link, struct input_object *object, uint32_t section);

/* Merges the native debug sections again, because they contain offsets of slots of the unified
 * function table. Called when the slots have their offsets. Has no effect without Mercury code. */
void debug_merge_slots(link_context *link);

/* Called for each accepted copy of the function. Empties the function's first section of constants
 * (see the head of merge_constant.c), so that it contains no constants of earlier copies. */
void merge_constant_accept(struct function *function);

/* Returns ".nv.constantBANK.F", the name of the constant sections of all functions called F. */
struct linked_name *merge_constant_name(link_context *link, int bank,
                                        const struct function *function);

/* Returns the function's section of constants in the bank. If several sections have the name that
 * merge_constant_name returns, this is the one that was created first. If there is none, creates
 * it. */
struct output_section *merge_constant_first(link_context *link, struct function *function,
                                            int bank);

/* Merges one relocation list of an object; see merge_relocations.c. The section that the list
 * relocates must be merged already. */
void merge_relocations(link_context *link, struct input_object *object,
                       const struct elf_section *input);

/* Returns an output section's list of relocations: RELA if `with_addends`, else REL. Makes the list
 * if there is none. */
struct output_section *merge_relocation_list(link_context *link, struct output_section *target,
                                             bool with_addends);

/* Makes the chunk that stands for all entries of an input list in the output's list. Reserves the
 * numbers of these entries. */
struct chunk merge_relocation_chunk(link_context *link, struct input_object *object,
                                    uint32_t input_section);

/* Merges an input section of bank 0 or 2 that belongs to a function. */
void merge_constant(link_context *link, struct input_object *object, uint32_t section);

/* Returns the offset in the kernel's bank of the parameters of a discarded copy. Below sm_100, the
 * parameters of a copy that was discarded because of an earlier GLOBAL kernel are appended to the
 * bank. Any other discarded copy shares the parameters of the used copy, at offset 0. */
uint64_t merge_constant_discarded_parameters(const struct function *kernel,
                                             const struct input_object *object,
                                             const struct elf_section *section);

#endif
