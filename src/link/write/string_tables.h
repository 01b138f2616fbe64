/* Builds the string tables of the output. .shstrtab contains the names of sections. .strtab
 * contains the names of symbols, of prototypes and of removed sections. */
#ifndef WARPLD_LINK_WRITE_STRING_TABLES_H
#define WARPLD_LINK_WRITE_STRING_TABLES_H

#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Reserves space for the names of all symbols and of all sections except Mercury sections. Then one
 * thread can add names to .strtab while another adds names to .shstrtab, because no thread
 * allocates memory. */
void string_tables_reserve(link_context *link);

/* Sets the sizes of the tables. Reports a size that does not fit in 32 bits. */
void string_tables_settle(link_context *link);

/* These functions add to .strtab. A string is stored once, in the order of first use. */
void string_table_add(link_context *link, struct linked_name *name);
void string_table_add_symbol_name(link_context *link, const struct symbol *symbol);
void string_table_add_prototypes(link_context *link);

/* Adds a name to .shstrtab. A name is stored once, in the order of first use. `space` is the number
 * of bytes to reserve, at least the length of the name. */
void string_table_add_section_name(link_context *link, struct linked_name *name, uint32_t space);

/* Adds to .shstrtab the section's own copy of its name. No other section uses this copy. */
void string_table_add_own_section_name(link_context *link, struct output_section *section);

/* Returns the next bare name, in the order of creation. A bare name is the name of a section
 * without contents, see struct bare_name. The search starts at index *next in the list of bare
 * names; the function increases *next. */
struct linked_name *string_tables_next_bare_name(const struct output *output, size_t *next);

/* Adds to .strtab the names of the parameter banks that are at the end of the native sections (the
 * late banks). */
void string_table_add_late_banks(link_context *link);

/* Adds to .strtab the native names of constant banks that have a native and a Mercury section, then
 * the names of the late banks. No other names follow. */
void string_tables_add_native_names(link_context *link);

/* Adds the names of all sections and symbols that are written, for releases whose string tables
 * have no other names; see present_names.c. Requires: indices of sections and symbols. */
void string_tables_name_only_written(link_context *link);

/* If an output with Mercury code has no tables of long section indices (.symtab_shndx), reserves
 * space for their names in .shstrtab, as nvlink does. */
void string_tables_pad_for_index_tables(link_context *link);

#endif
