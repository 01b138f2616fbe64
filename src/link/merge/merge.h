/* What merge hands to other files as it walks the objects, and what they tell each other. */
#ifndef WARPLD_LINK_MERGE_MERGE_H
#define WARPLD_LINK_MERGE_MERGE_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* All symbols of an object that are no functions, and the sections that they bring in. */
void merge_variables(link_context *link, struct input_object *object);

/* The attributes of one input section go to an output section; function is NULL for those of the
 * whole object. Of a function that goes, output and function are NULL. */
void merge_records(link_context *link, struct input_object *object, const struct elf_section *input,
                   struct output_section *output, struct function *function);

/* A debug section joins the output's section of its name. */
void debug_merge(link_context *link, struct input_object *object, uint32_t section);

/* With Mercury code, once the slots of the unified function table have their places: joins again
 * what tells of native code. */
void debug_merge_slots(link_context *link);

/* A copy of the function is accepted: what earlier copies left of compiler-made constants goes. */
void merge_constant_accept(struct function *function);

/* ".nv.constantBANK.F", the name that sections of constants of functions called F share. */
struct linked_name *merge_constant_name(link_context *link, int bank,
                                        const struct function *function);

/* The section that the function's name stands for among several, made when there is none. */
struct output_section *merge_constant_first(link_context *link, struct function *function,
                                            int bank);

/* One list of an object whose sections have their places; see merge_relocations.c. */
void merge_relocations(link_context *link, struct input_object *object,
                       const struct elf_section *input);

/* The list of what stays of the relocations of an output section, made when there is none. */
struct output_section *merge_relocation_list(link_context *link, struct output_section *target,
                                             bool with_addends);

/* All entries of an input section, as part of such a list. */
struct chunk merge_relocation_chunk(link_context *link, struct input_object *object,
                                    uint32_t input_section);

/* A constant bank of one function. */
void merge_constant(link_context *link, struct input_object *object, uint32_t section);

/* Where in the kernel's bank the parameters of a rejected copy will be: below sm_100 those of one
 * that lost to a GLOBAL kernel come behind, others have the place of the used ones. */
uint64_t merge_constant_lost_parameters(const struct function *kernel,
                                        const struct input_object *object,
                                        const struct elf_section *section);

#endif
