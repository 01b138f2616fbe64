/* Unified tables: functions and variables that have their places at the same offset in every
 * program, as an index file says; docs/unified.md has the facts. */
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

/* A record of .nv.uft.entry or .nv.udt.entry: which function or variable an identifier is of. What
 * the table holds of it is a function's stub or the variable itself. */
struct unified_entry {
    struct input_object *object;
    struct symbol *symbol; /* the function or variable */
    struct unified_id id;
    uint32_t flags;
    uint32_t number;        /* among the entries of the table */
    uint32_t index;         /* of the symbol, in the object */
    uint32_t contents;      /* symbol index, in the object, of what the table holds */
    uint32_t input_section; /* where the table's part of it is, */
    uint64_t input_offset;
    uint64_t size;
    uint64_t offset; /* and where it goes in the table */
    bool is_placed;
    bool is_first_of_key; /* known only when two entries have one identifier */
};

struct unified_table {
    struct output_section *contents; /* .nv.uft or .nv.udt */
    struct output_section *info;     /* .nv.info..nv.uft */
    struct output_section *list;     /* .nv.uft.entry or .nv.udt.entry */
    GROWING_ARRAY(struct unified_entry, entries);
    struct name_table stubs; /* of the object that was read last, by the name of their function */
    const struct input_object *stubs_of;
    /* Ranges of the slots' frames in native debug information; 0 until unified_write_slots has
     * written the slots. */
    uint64_t slot_range, first_slot_range;
};

/* A function whose code is a slot of the table, by its section. */
bool unified_is_stub(const struct input_object *object, uint32_t section);

/* With Mercury code the slots have other forms than in the inputs, in both views; and where they
 * begin in it. False, and reported, when an input has what no compiler writes. */
uint64_t unified_slot_offset(const struct symbol *stub);

/* What native debug information tells of a slot. */
struct unified_slot {
    bool is_first;
    uint64_t range;      /* of its frame */
    uint64_t table_size; /* in native code */
};

/* False for symbols of other functions, and while slots have no places. */
bool unified_slot_of(const struct warpld_link *link, const struct input_object *object,
                     uint32_t symbol, struct unified_slot *slot);

/* Where merge put the function's stub or the variable in the section that has it. */
uint64_t unified_merged_offset(const struct unified_entry *entry);

/* In the output; 0 for what is not in it. All indices are known. */
uint32_t unified_symbol_index(const struct unified_entry *entry);

/* What --trace tells of the index file, of a record that was read, of its place in the table and,
 * when all indices are known, of the symbols of all records. */
void trace_unified_index(struct warpld_link *link, const struct unified_index *index);
void trace_unified_entry(struct warpld_link *link, const struct unified_entry *entry,
                         enum unified_table_kind kind);
void trace_unified_offset(struct warpld_link *link, const struct unified_entry *entry);
void trace_unified_symbols(struct warpld_link *link);

#endif
