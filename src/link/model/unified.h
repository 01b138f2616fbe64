/* Unified tables: functions and variables at the same offsets in every program. An index file
 * assigns the offsets; docs/unified.md has the facts.
 *
 *      index file            .nv.uft.entry           .nv.uft: a slot for each function
 *      id 7 -> offset 0      id 7: function f        +----------------+ 0
 *      id 9 -> offset 128    id 9: function g        | stub, jump to f|
 *                                                    +----------------+ 128
 *                                                    | stub, jump to g|
 *                                                    +----------------+
 *
 * .nv.udt is the table for variables. Its entries are the variables themselves. */
#ifndef WARPLD_LINK_MODEL_UNIFIED_H
#define WARPLD_LINK_MODEL_UNIFIED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "format/unified_index.h"

struct function;
struct input_object;
struct output_section;
struct symbol;
struct warpld_link;

/* A record of .nv.uft.entry or .nv.udt.entry: an identifier with its function or variable. The
 * table holds a stub of the function, or the variable itself. */
struct unified_entry {
    struct input_object *object;
    struct symbol *symbol; /* the function or variable */
    struct unified_id id;
    uint32_t flags;
    uint32_t number;        /* position among the entries of the table */
    uint32_t index;         /* symbol index in the object */
    uint32_t contents;      /* symbol index, in the object, of the stub or the variable */
    uint32_t input_section; /* the input section that contains the stub or the variable */
    uint64_t input_offset;  /* offset in that section */
    uint64_t size;
    uint64_t offset; /* in the table */
    bool is_placed;  /* offset is assigned */
    /* The entry is the first one with its key (see unified_offsets.c). Set only if two entries have
     * the same identifier. */
    bool is_first_of_key;
};

struct unified_table {
    struct output_section *contents; /* .nv.uft or .nv.udt */
    struct output_section *info;     /* .nv.info..nv.uft */
    struct output_section *list;     /* .nv.uft.entry or .nv.udt.entry */
    GROWING_ARRAY(struct unified_entry, entries);
    struct name_table stubs;             /* the stubs of stubs_of, by function name */
    const struct input_object *stubs_of; /* the object that was read last */
    /* The field address_range of the FDEs of slots in the native .debug_frame: first_slot_range for
     * the first slot, slot_range for each later one. Both are 0 until unified_write_slots has
     * written the slots. */
    uint64_t slot_range, first_slot_range;
};

/* Whether the section is the code of a slot in the function table. */
bool unified_is_stub(const struct input_object *object, uint32_t section);

/* Returns the offset of a stub's slot in the merged table. */
uint64_t unified_slot_offset(const struct symbol *stub);

/* The facts about a slot that native debug information contains. */
struct unified_slot {
    bool is_first;
    uint64_t range;      /* address_range of the FDE of the slot, in bytes */
    uint64_t table_size; /* size of the function table in the native view */
};

/* Returns false if the symbol is not a stub, or if the slots have no offsets yet. */
bool unified_slot_of(const struct warpld_link *link, const struct input_object *object,
                     uint32_t symbol, struct unified_slot *slot);

/* Returns the offset that pass_merge assigned to the stub or variable in its output section. */
uint64_t unified_merged_offset(const struct unified_entry *entry);

/* Returns the symbol index of the entry in the output; 0 if the output does not have the symbol.
 * The symbol indices must be assigned. */
uint32_t unified_symbol_index(const struct unified_entry *entry);

/* These functions write trace lines: the first about the index file, the second about a record that
 * was read, the third about the record's offset in the table, the last about the symbols of all
 * records. The last one must be called after all symbol indices are assigned. */
void trace_unified_index(struct warpld_link *link, const struct unified_index *index);
void trace_unified_entry(struct warpld_link *link, const struct unified_entry *entry,
                         enum unified_table_kind kind);
void trace_unified_offset(struct warpld_link *link, const struct unified_entry *entry);
void trace_unified_symbols(struct warpld_link *link);

#endif
