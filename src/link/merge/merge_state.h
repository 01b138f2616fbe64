/* The data that pass_merge collects from the objects for layout, resources and the writer. */
#ifndef WARPLD_LINK_MERGE_MERGE_STATE_H
#define WARPLD_LINK_MERGE_MERGE_STATE_H

#include "base/arena.h"
#include "base/name_table.h"
#include "link/model/input_object.h"

struct function;
struct output_section;
struct shared_variable;
struct symbol;

/* A function whose compiler-made constants (own_constants) have no addresses yet, and the bank that
 * they belong to. */
struct constant_block {
    struct function *function;
    int bank;
};

/* A LOAD_CACHE_REQUEST record. */
struct cache_request {
    const struct symbol *symbol;
    bool wanted;
};

/* The value that one function has for an attribute that kernels inherit. */
struct inherited_value {
    struct function *function;
    uint32_t value;
};

/* The functions of the object whose native debug sections are being merged, by name. */
struct debug_functions {
    const struct input_object *object;
    struct name_table table;
};

/* The output sections of reserved shared memory, by index of the input section. Those of one object
 * are known at a time. */
struct reserved_sections {
    const struct input_object *object;
    struct output_section **outputs;
};

struct merge_state {
    struct arena_row record_row;
    GROWING_ARRAY(struct shared_variable *, shared_variables);
    GROWING_ARRAY(struct symbol *, kept_shared); /* with -r: shared variables in reading order */
    uint64_t shared_file_alignment; /* largest alignment of the variables in .nv_debug.shared,
                                       including superseded ones and ones that no kernel
                                       uses, but not discarded ones */
    GROWING_ARRAY(struct symbol *, textures);
    GROWING_ARRAY(struct symbol *, constant_sizes);  /* the symbols .nv.ptx.const0.size */
    GROWING_ARRAY(struct constant_block, set_aside); /* layout_constant assigns these to kernels */
    GROWING_ARRAY(struct section_input, tool_notes); /* in reading order */
    struct reserved_sections reserved;               /* see merge_shared.c */
    struct debug_functions debug_functions;          /* see debug_registers.c */
    GROWING_ARRAY(struct cache_request, cache_requests);     /* in reading order */
    GROWING_ARRAY(struct inherited_value, mbarriers);        /* NUM_MBARRIERS, in reading order */
    GROWING_ARRAY(struct inherited_value, reconfigurations); /* REG_RECONFIG, in reading order */
    uint64_t large_parameters; /* number of KPARAM_INFO_V2 records; a kernel with more than 4 KB of
                                  parameters has one for each parameter */
    uint32_t records_read;     /* number of records read so far */
    bool kernel_values_fall; /* some kernel has a record with a smaller value than an earlier record
                                of the same attribute */
    bool has_regions;        /* some SAM_REGION_STACK_SIZE record has a value other than 0 */
};

#endif
