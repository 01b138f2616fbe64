/* A relocatable device object among the inputs, and the state of its symbols and sections.
 *
 * An input section contributes to one output section. For input section i, contributions[i] holds
 * that output section and the offset at which the input's bytes are in it:
 *
 *      input section i                   output section
 *      +-------------+                   +---------+-------------+------+
 *      | bytes       |  ---------------> | other   | bytes       | ...  |
 *      +-------------+                   +---------+-------------+------+
 *                                        0         contributions[i].offset
 *
 * When variables of a section are removed or reordered, its bytes are no longer contiguous.
 * moved[i] then lists the pieces, sorted by offset in the input:
 *
 *      input section i               output section
 *      +-----+-----+-----+           +-----+------+-----+     pieces: A  offset 12
 *      |  A  |  B  |  C  |  -------> |  C  | ...  |  A  |             B  removed
 *      +-----+-----+-----+           +-----+------+-----+             C  offset 0 */
#ifndef WARPLD_LINK_MODEL_INPUT_OBJECT_H
#define WARPLD_LINK_MODEL_INPUT_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"

struct input_unit;
struct output_section;
struct symbol;

/* The state of one object's definition of a symbol. */
enum copy_state {
    COPY_NONE, /* not a definition */
    COPY_USED, /* the definition that the program uses */
    /* The copy was not used when it was read. Only its bytes in sections that it shares with other
     * definitions remain. */
    COPY_DISCARDED,
    /* The copy was accepted when it was read, and a later copy replaced it. What remains: its
     * position in the order of the output, its call edges, and its bytes in sections that it shares
     * with other definitions. */
    COPY_SUPERSEDED,
};

/* Whether the copy was accepted when it was read, even if it is now superseded. The first accepted
 * copy of a weak function determines when pass_merge creates the function's sections. */
static inline bool copy_is_accepted(uint8_t copy)
{
    return copy == COPY_USED || copy == COPY_SUPERSEDED;
}

/* One variable of an input section whose bytes are not contiguous in the output. The variable has
 * its own offset in the output section; see repack.c. */
struct moved_variable {
    uint64_t input_offset;
    uint64_t size;
    uint64_t offset; /* in the output section */
    bool removed;    /* it is not in the output */
};

/* Where an input section is in the output. */
struct contribution {
    struct output_section *section; /* the output section; NULL: none, or not yet known */
    uint64_t offset : 63;
    /* merge_constant or layout_constant sets the fields above, so merge_data skips the section. */
    uint64_t set_aside : 1;
};

/* The pieces of an input section whose bytes are not contiguous in the output. */
struct moved_bytes {
    const struct moved_variable *pieces; /* ascending input_offset; NULL: contiguous */
    size_t count;
};

/* Properties of one copy of a weak function, by which copies are compared. */
struct weak_facts {
    uint32_t registers;
    bool relocated;          /* its code has relocations, in either view */
    uint64_t parameter_bank; /* size of a kernel's parameter bank */
    /* The parameter bank has another size than that of the copy in use when this copy was read.
     * Cleared when the difference is reported. */
    bool parameters_differ;
};

/* A range of an input section: the bytes of a discarded weak variable; see discarded_ranges.h. */
struct discarded_range {
    uint32_t section;
    uint64_t start, end;
};

/* What is known about an image before the link opens it, from other links or other threads. */
struct shared_image {
    struct bytes bytes;          /* the unpacked image; none if it is from a snapshot */
    const struct elf_view *view; /* NULL if the image is PTX or no valid cubin */
    uint16_t virtual_sm;         /* of the cubin, as in struct input_object */
    uint16_t toolkit;
    bool is_from_snapshot;  /* the view refers to a snapshot, which the caller keeps in memory */
    struct bytes unchecked; /* the snapshot's code, not yet compared with its digest */
};

/* A relocatable device object: a cubin among the inputs, or the image chosen from a fat binary. */
struct input_object {
    const char *name; /* as in messages */
    struct bytes file;
    struct input_unit *unit; /* the unit that contains the object */
    /* What was known before the link opened the object; or NULL. */
    const struct shared_image *shared;
    struct elf_view elf;
    bool fits; /* the object is valid, and its code is for the target */
    /* The object breaks a rule that is an ELF_EXCEPTION; the link accepts such an object. Set
     * whether or not a warning is reported. */
    bool has_exceptions;
    uint32_t position; /* index in the order of linking */
    uint16_t virtual_sm;
    uint16_t toolkit;
    struct symbol **symbols; /* by symbol index; NULL for a section symbol or untyped symbol */
    uint8_t *copies;         /* enum copy_state by symbol index */
    struct contribution *contributions; /* by section index */
    struct moved_bytes *moved;          /* by section index; allocated on demand */
    struct weak_facts *weak_facts;      /* by symbol index; allocated on demand, see weak.c */
    GROWING_ARRAY(struct discarded_range, discarded_ranges); /* ascending */
    uint32_t *other_view; /* by section index: the section's counterpart; 0 if it has none */
    /* By index of a native section: the index of the relocation section of its counterpart; 0 if
     * there is none. */
    uint32_t *mercury_relocations;
    uint32_t compiler_constants; /* number of symbols of compiler-made constants read so far */
    /* By index of a section of compiler-made constants: an array of bits, one for each word of the
     * section, set where a jump table starts. See write/jump_table_order.c. */
    uint64_t **tables;
    bool has_shared; /* the object refers to file-scope or extern shared memory */
    bool has_textures;
    bool has_discarded; /* some definition of the object is a discarded copy */
};

/* Sets the pieces of a section that is not contiguous in the output. Sorts the pieces, which must
 * live as long as the link. */
void contribution_move(struct arena *arena, struct input_object *object, uint32_t section,
                       struct moved_variable *pieces, size_t count);

/* Removes the pieces of the section: the output contains its bytes contiguously after all. */
static inline void contribution_keep_contiguous(struct input_object *object, uint32_t section)
{
    if (object->moved)
        object->moved[section] = (struct moved_bytes){NULL, 0};
}

static inline bool contribution_is_moved(const struct input_object *object, uint32_t section)
{
    return object->moved && object->moved[section].pieces;
}

/* Returns the piece that contains the byte at input_offset; NULL if no piece does. */
const struct moved_variable *contribution_piece(const struct input_object *object, uint32_t section,
                                                uint64_t input_offset);

/* Both functions map an offset in an input section to one in the output section, and return false
 * if the byte is not in the output. contribution_offset_in_pieces needs a section with pieces. */
bool contribution_offset_in_pieces(const struct input_object *object, uint32_t section,
                                   uint64_t input_offset, uint64_t *offset);
static inline bool contribution_offset(const struct input_object *object, uint32_t section,
                                       uint64_t input_offset, uint64_t *offset)
{
    *offset = object->contributions[section].offset + input_offset;
    return !contribution_is_moved(object, section) ||
           contribution_offset_in_pieces(object, section, input_offset, offset);
}

enum range_state {
    RANGE_KEPT,    /* the bytes are contiguous in the output */
    RANGE_REMOVED, /* the first and the last byte are not in the output */
    RANGE_CUT      /* only one of them is in the output, or their distance has changed */
};

/* Compares the output offsets of the first and the last byte of a range of an input section. `size`
 * must not be 0. Sets *offset to the output offset of the first byte if that is in the output. */
enum range_state contribution_range(const struct input_object *object, uint32_t section,
                                    uint64_t input_offset, uint64_t size, uint64_t *offset);

/* A section of data about functions, see function_data.h. */
struct function_data_input {
    const struct input_object *object;
    const struct elf_section *section;
};

/* All sections of data about functions, in reading order. */
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

/* Returns the function that a section belongs to; NULL if the section is of the whole object. A
 * section of code belongs to the function in it. A section whose sh_info is the index of a code
 * section belongs to that section's function. `index` may be NULL; otherwise *index receives the
 * index of the function's symbol in the object. */
struct symbol *input_section_function(const struct input_object *object,
                                      const struct elf_section *section, uint32_t *index);

/* Whether the symbol's function is kept, and the program uses this object's copy of it. */
bool input_function_is_used(const struct input_object *object, uint32_t symbol_index);

#endif
