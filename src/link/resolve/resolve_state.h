/* The state of the resolve passes. Passes of later folders read parts of it. */
#ifndef WARPLD_LINK_RESOLVE_RESOLVE_STATE_H
#define WARPLD_LINK_RESOLVE_RESOLVE_STATE_H

#include "base/arena.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/resolve/conflict_notes.h"

struct symbol;

struct resolve_state {
    /* The prototype of functions whose address is taken although no object has a prototype of them.
     * It is not in the string tables. */
    struct root_name no_prototype;
    struct arena_row function_row;
    struct arena_row symbol_row;
    GROWING_ARRAY(struct symbol *, commons);
    int fragment_version; /* toolkit of the tcgen05 code read so far, see check_inputs.c; 0 if
                             unknown */
    bool has_surfaces;    /* some object has a surface, used or not */
    /* Lists of relocations that refer to variables, in reading order. */
    GROWING_ARRAY(struct section_input, of_variables);
    /* Number of kept kernels. It does not include unnamed kernels and system functions (see struct
     * function), but it includes named kernels that are undefined. If it is 1, the link is a link
     * with one kernel (docs/glossary.md). */
    uint32_t live_entry_count;
    /* Comparisons of two objects for notes, by position of the first one; NULL: none so far. */
    struct object_comparison *comparisons;
    bool has_host_references; /* only kernels that host code refers to are named, see gc.c */
};

#endif
