/* The string tables of the output: .strtab holds the names of symbols, of prototypes and of removed
 * sections, .shstrtab those of sections. */
#ifndef WARPLD_LINK_WRITE_STRING_TABLES_H
#define WARPLD_LINK_WRITE_STRING_TABLES_H

#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Reserves space for the names of all sections and symbols. Two threads can then add to the two
 * tables at once, because neither allocates. Names of Mercury sections are not included. */
void string_tables_reserve(link_context *link);

/* Sets the sizes of the tables; reports a size that does not fit in 32 bits. */
void string_tables_settle(link_context *link);

/* .strtab: a name is stored once, in the order of first use. */
void string_table_add(link_context *link, struct linked_name *name);
void string_table_add_symbol_name(link_context *link, const struct symbol *symbol);
void string_table_add_prototypes(link_context *link);

/* .shstrtab, likewise; space: length in bytes to reserve, at least that of the name. */
void string_table_add_section_name(link_context *link, struct linked_name *name, uint32_t space);

/* Adds a name that is not shared with another section. */
void string_table_add_own_section_name(link_context *link, struct output_section *section);

/* Names without sections are stored in the order of their creation; next is the position in the
 * list. */
struct linked_name *string_tables_next_bare_name(const struct output *output, size_t *next);

/* Add the names of the native view that come after all others. */
void string_table_add_late_banks(link_context *link);
void string_tables_add_native_names(link_context *link);

/* Adds all names in use, for releases that list no others (present_names.c). Requires: indices of
 * sections and symbols. */
void string_tables_name_only_written(link_context *link);

/* Reserves space for the names of index tables, as files with Mercury code do. */
void string_tables_pad_for_index_tables(link_context *link);

#endif
