/* The string tables of the output: .strtab, whose names are those of symbols, of prototypes and of
 * what has gone, and .shstrtab. */
#ifndef WARPLD_LINK_WRITE_STRING_TABLES_H
#define WARPLD_LINK_WRITE_STRING_TABLES_H

#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Room for all names that sections and symbols have: those of both tables can then be added by two
 * threads at once, as none of it takes from the link's memory. Not so those of Mercury sections. */
void string_tables_reserve(link_context *link);

/* Gives the tables their sizes; reports those that 32 bits cannot count. */
void string_tables_settle(link_context *link);

/* .strtab: a name stands once, where it was first used. */
void string_table_add(link_context *link, struct linked_name *name);
void string_table_add_symbol_name(link_context *link, const struct symbol *symbol);
void string_table_add_prototypes(link_context *link);

/* .shstrtab, likewise; room: for a longer one than the name, in bytes. */
void string_table_add_section_name(link_context *link, struct linked_name *name, uint32_t room);

/* A name that no other section has a part in. */
void string_table_add_own_section_name(link_context *link, struct output_section *section);

/* Names that are left have their places in the order of their creation; next counts through them.
 */
struct linked_name *string_tables_next_bare_name(const struct output *output, size_t *next);

/* Names of the native view that stand behind all others. */
void string_table_add_late_banks(link_context *link);
void string_tables_add_native_names(link_context *link);

/* All names of what is there, for releases that leave no others (present_names.c). Requires:
 * indices of sections and symbols. */
void string_tables_name_only_written(link_context *link);

/* The room of the names of tables of long indices, which files with Mercury code have. */
void string_tables_leave_room_of_indices(link_context *link);

#endif
