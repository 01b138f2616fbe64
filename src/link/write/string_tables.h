/* The string tables of the output. .shstrtab contains the names of sections. .strtab contains the
 * names of symbols, of prototypes and of removed sections. */
#ifndef WARPLD_LINK_WRITE_STRING_TABLES_H
#define WARPLD_LINK_WRITE_STRING_TABLES_H

#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Reserves space for the names of all sections and symbols, except Mercury sections. Then one
 * thread can add names to .strtab while another adds names to .shstrtab, because neither allocates
 * memory. */
void string_tables_reserve(link_context *link);

/* Sets the sizes of the tables. Reports a size that does not fit in 32 bits. */
void string_tables_settle(link_context *link);

/* Add to .strtab. A string is stored once, in the order of first use. */
void string_table_add(link_context *link, struct linked_name *name);
void string_table_add_symbol_name(link_context *link, const struct symbol *symbol);
void string_table_add_prototypes(link_context *link);

/* Adds to .shstrtab. A name is stored once, in the order of first use. `space` is the number of
 * bytes to reserve, at least the length of the name. */
void string_table_add_section_name(link_context *link, struct linked_name *name, uint32_t space);

/* Adds to .shstrtab the section's own copy of its name. No other section uses this copy. */
void string_table_add_own_section_name(link_context *link, struct output_section *section);

/* The next bare name, in the order of creation. *next is the index in the list of bare names at
 * which the search starts; the function increases it. */
struct linked_name *string_tables_next_bare_name(const struct output *output, size_t *next);

/* Add to .strtab the names of the native view that follow all others. */
void string_table_add_late_banks(link_context *link);
void string_tables_add_native_names(link_context *link);

/* Adds all names that are written, for releases whose string tables have no others
 * (present_names.c). Requires: indices of sections and symbols. */
void string_tables_name_only_written(link_context *link);

/* Reserves space in .shstrtab for the names of index tables that the output does not have, as files
 * with Mercury code do. */
void string_tables_pad_for_index_tables(link_context *link);

#endif
