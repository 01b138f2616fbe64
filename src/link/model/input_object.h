/* A relocatable device object among the inputs, and what became of each part of it. */
#ifndef WARPLD_LINK_MODEL_INPUT_OBJECT_H
#define WARPLD_LINK_MODEL_INPUT_OBJECT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include <stdbool.h>
#include <stdint.h>

struct input_unit;
struct output_section;
struct symbol;

/* What became of a definition in one object. */
enum copy_state {
    COPY_NONE,       /* not a definition */
    COPY_USED,       /* the definition of the program */
    COPY_DISCARDED,  /* lost when it was read: leaves nothing but bytes in shared sections */
    COPY_SUPERSEDED, /* was accepted and lost to a later one: its place and call edges stay */
};

/* When it was read, whatever became of it. A weak function has the place of the first such copy. */
static inline bool copy_is_accepted(uint8_t copy)
{
    return copy == COPY_USED || copy == COPY_SUPERSEDED;
}

/* A variable that left its input section's bytes; see repack.c. */
struct moved_variable {
    uint64_t input_offset;
    uint64_t size;
    uint64_t offset; /* in the output section */
    bool lost;       /* is not in the output */
};

/* Where an input section went: the output section and the offset of its bytes in it. */
struct contribution {
    struct output_section *section; /* NULL: nowhere, or not yet */
    uint64_t offset : 63;
    uint64_t set_aside : 1; /* in a place that only merge_constant and layout_constant know */
};

/* What became of the bytes of an input section that did not stay together. */
struct moved_bytes {
    const struct moved_variable *pieces; /* by input_offset; NULL: the bytes stay together */
    size_t count;
};

/* What the copies of a weak function are compared by. */
struct weak_facts {
    uint32_t registers;
    bool relocated;          /* its code has relocations */
    uint64_t parameter_bank; /* size of a kernel's */
    bool parameters_differ;  /* from those of the kernel's other copy; not yet reported */
};

/* Bytes of a weak variable that was rejected; see discarded_ranges.h. */
struct discarded_range {
    uint32_t section;
    uint64_t start, end;
};

/* A relocatable device object: a cubin among the inputs, or the image chosen from a fat binary. */
struct input_object {
    const char *name; /* what messages call it */
    struct bytes file;
    struct input_unit *unit; /* that it comes from */
    struct elf_view elf;
    bool fits;         /* it is sound and for the target */
    uint32_t position; /* among the objects, in the order of linking */
    uint16_t virtual_sm;
    uint16_t toolkit;
    struct symbol **symbols;            /* by symbol index; NULL for section and untyped symbols */
    uint8_t *copies;                    /* enum copy_state by symbol index */
    struct contribution *contributions; /* by section index */
    struct moved_bytes *moved;          /* by section index; made on demand */
    struct weak_facts *weak_facts;      /* by symbol index; made on demand, see weak.c */
    GROWING_ARRAY(struct discarded_range, discarded_ranges); /* ascending */
    uint32_t *other_view;          /* by section index: its form in the other view, 0 none */
    uint32_t *mercury_relocations; /* by index of a native section: those of its counterpart */
    uint32_t compiler_constants;   /* symbols of them read so far */
    uint64_t **tables;             /* by section index: where jump tables begin; see apply.c */
    bool has_shared;               /* refers to file-scope or extern shared memory */
    bool has_textures;
    bool has_discarded; /* some copy in it was rejected */
};

/* The bytes went in pieces, which this sorts and which must live as long as the link. */
void contribution_move(struct arena *arena, struct input_object *object, uint32_t section,
                       struct moved_variable *pieces, size_t count);

/* They stay together after all. */
static inline void contribution_stay(struct input_object *object, uint32_t section)
{
    if (object->moved)
        object->moved[section] = (struct moved_bytes){NULL, 0};
}

static inline bool contribution_is_moved(const struct input_object *object, uint32_t section)
{
    return object->moved && object->moved[section].pieces;
}

/* The piece of moved bytes that has this one; NULL when none has. */
const struct moved_variable *contribution_piece(const struct input_object *object, uint32_t section,
                                                uint64_t input_offset);

/* Where a byte of the input section went. False when it went nowhere. */
bool contribution_offset_in_pieces(const struct input_object *object, uint32_t section,
                                   uint64_t input_offset, uint64_t *offset);
static inline bool contribution_offset(const struct input_object *object, uint32_t section,
                                       uint64_t input_offset, uint64_t *offset)
{
    *offset = object->contributions[section].offset + input_offset;
    return !contribution_is_moved(object, section) ||
           contribution_offset_in_pieces(object, section, input_offset, offset);
}

/* A section of data about functions. */
struct function_data_input {
    const struct input_object *object;
    const struct elf_section *section;
};

/* All of them, in reading order. */
struct function_data_inputs {
    GROWING_ARRAY(struct function_data_input, sections);
};

/* A section and its object. */
struct section_input {
    struct input_object *object;
    const struct elf_section *section;
};

static inline enum input_kind input_section_kind(const struct elf_section *section)
{
    return (enum input_kind)section->kind;
}

/* The function that a section belongs to: of code, its own; of sections that sh_info ties to code,
 * that code's; NULL for sections of the whole object. *index (may be NULL) receives the symbol's
 * index in the object. */
struct symbol *input_section_function(const struct input_object *object,
                                      const struct elf_section *section, uint32_t *index);

/* True when the object's copy of that function is the one that the program uses and it is kept. */
bool input_function_is_used(const struct input_object *object, uint32_t symbol_index);

#endif
