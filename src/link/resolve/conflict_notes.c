/* Notes about two declarations that conflict; see conflict_notes.h. pass_resolve calls these
 * functions when a link fails. They add what the two declarations declare: nvlink's messages only
 * name the files. */
#include "link/resolve/conflict_notes.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/elf.h"
#include "link/image/choose_images.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/resolve/resolve_state.h"

/* --------------------------------------------------------------------------------------------- */
/* What each declaration says                                                                    */

static const char *word_of_variable(uint8_t other)
{
    static const struct {
        uint8_t space;
        char text[24];
    } WORDS[] = {
#define DECLARATION_WORD(space, text) {space, text},
#include "link/resolve/declaration_word.def"
#undef DECLARATION_WORD
    };
    if (other & STO_CUDA_MANAGED)
        return "__managed__";
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (WORDS[i].space == (other & STO_CUDA_SPACE))
            return WORDS[i].text;
    return "another memory space";
}

static const char *word_of_declaration(const struct declaration *declaration, bool is_mixed)
{
    switch (declaration->type) {
    case STT_FUNC:
        return declaration->other & STO_CUDA_ENTRY ? "a __global__ function"
                                                   : "a __device__ function";
    case STT_CUDA_TEXTURE:
        return "a texture reference";
    case STT_CUDA_SAMPLER:
        return "a sampler reference";
    case STT_CUDA_SURFACE:
        return "a surface reference";
    default:
        return is_mixed ? "a variable" : word_of_variable(declaration->other);
    }
}

void conflict_notes_declarations(link_context *link, const char *name, struct declaration second,
                                 struct declaration first)
{
    bool is_mixed = (second.type == STT_FUNC) != (first.type == STT_FUNC);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_DECLARATIONS_DIFFER, second.input, name,
                      word_of_declaration(&second, is_mixed), second.input,
                      word_of_declaration(&first, is_mixed), first.input);
}

/* --------------------------------------------------------------------------------------------- */
/* One object twice                                                                              */

static bool is_same_file(const char *first, const char *second)
{
    struct file_identity a, b;
    return file_identify(&a, first) && file_identify(&b, second) && a.inode && a.inode == b.inode &&
           a.device == b.device;
}

/* Whether the object is a whole file, and not a member of an archive. A buffer of the caller is no
 * file, although it has a name. */
static bool is_file(const struct input_object *object)
{
    const struct input_unit *unit = object->unit;
    return !unit->is_member && unit->file && !unit->file->is_in_memory;
}

/* Whether two objects have the same bytes. If the link has many inputs, it has released their bytes
 * (read_inputs.c), and the files are read again. */
static bool are_same_contents(link_context *link, const struct input_object *first,
                              const struct input_object *second)
{
    enum file_access access = link_file_access(link);
    struct bytes image = object_image(link, first), other = object_image(link, second);
    if (image.data && other.data)
        return image.size && bytes_equal(image, other);
    if (!is_file(first) || !is_file(second))
        return false;
    struct mapped_file a, b;
    if (file_load(&a, first->name, NULL, access))
        return false;
    bool is_same = false;
    if (!file_load(&b, second->name, NULL, access)) {
        is_same = bytes_equal(a.bytes, b.bytes);
        file_unmap(&b);
    }
    file_unmap(&a);
    return is_same;
}

/* Returns whether the two objects have the same code. If they have, reports it in a note. */
static bool report_if_same(link_context *link, const struct input_object *first,
                           const struct input_object *second, const char *name)
{
    bool is_one_file = is_file(first) && is_file(second) && is_same_file(first->name, second->name);
    if (!is_one_file && !are_same_contents(link, first, second))
        return false;
    enum diagnostic_name message = is_one_file ? DIAGNOSTIC_SAME_FILE : DIAGNOSTIC_SAME_CODE;
    if (!strcmp(first->name, second->name)) /* two members of an archive can have one name */
        message = DIAGNOSTIC_LINKED_TWICE;
    diagnostic_report(&link->diagnostics, message, second->name, name, first->name, second->name);
    return true;
}

bool conflict_notes_same_object(link_context *link, const struct input_object *first,
                                const struct input_object *second, const char *name)
{
    struct object_comparison **all = &link->resolve->comparisons;
    if (!*all)
        *all = ARENA_ARRAY(&link->arena, struct object_comparison, link->objects_count);
    struct object_comparison *known = &(*all)[first->position];
    if (known->second != second)
        *known = (struct object_comparison){second, report_if_same(link, first, second, name)};
    return known->are_same;
}
