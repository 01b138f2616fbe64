/* Merges data about functions into .nv.metadata. */
#ifndef WARPLD_LINK_MODEL_FUNCTION_DATA_H
#define WARPLD_LINK_MODEL_FUNCTION_DATA_H

#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Collects the texts, which .strtab holds among the prototypes. Part of callgraph_build. */
void function_data_read_texts(link_context *link, const struct input_object *object,
                              const struct elf_section *section);

/* Adds an object's records. Part of merge. */
void function_data_merge(link_context *link, const struct input_object *object,
                         const struct elf_section *section);

/* Decides which records are kept and computes their size. Part of metadata. */
void function_data_finish(link_context *link);
uint8_t *function_data_write(const link_context *link, uint8_t *out);

#endif
