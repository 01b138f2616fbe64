/* Merges the sections of data about functions (format/function_data.h) into .nv.metadata. */
#ifndef WARPLD_LINK_MODEL_FUNCTION_DATA_H
#define WARPLD_LINK_MODEL_FUNCTION_DATA_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Interns the texts of the section and appends them to the first strings of the output's .strtab,
 * where the prototypes are, too. callgraph_read calls this. */
void function_data_read_texts(link_context *link, const struct input_object *object,
                              const struct elf_section *section);

/* Makes the output hold the records of an object's section. pass_merge calls this. */
void function_data_merge(link_context *link, const struct input_object *object,
                         const struct elf_section *section);

/* Decides which records are kept and computes their size. pass_metadata calls this. */
void function_data_finish(link_context *link);
uint8_t *function_data_write(const link_context *link, uint8_t *out);

#endif
