/* Collects the names that link-time optimisation must keep; see kept_names.h.
 *
 * The optimiser makes functions and variables local, and removes those that no kernel of the LTO-IR
 * needs. But it keeps all names in the list llvm.used of an additional module of NVVM IR. Tests
 * with nvJitLink 12.0 to 13.5 showed which names this list needs:
 *
 * - It must contain the functions that other objects refer to.
 * - It must contain the functions and variables that other objects define as weak. Otherwise the
 *   program would contain both the LTO-IR's copy and the other object's copy.
 * - It must not contain names that other objects define strongly. Otherwise the optimiser would
 *   compare the prototype in the additional module with the prototype of the definition. */
#include "link/lto/kept_names.h"

#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "base/system_functions.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

/* Address spaces of NVVM IR. */
enum { SPACE_FUNCTION = 0, SPACE_GLOBAL = 1, SPACE_SHARED = 3, SPACE_CONSTANT = 4, NO_SPACE = 5 };

/* What the objects do with a name. */
struct used_name {
    struct name name;
    bool is_defined; /* some object defines the name as GLOBAL */
    bool is_listed;  /* the list of kept names already has the name */
};

/* True if the name comes from the program and not from a compiler. The optimiser must not keep
 * functions that ptxas adds, such as __cuda_sm70_shflsync_down. Each object that needs such a
 * function contains it, and ptxas refuses PTX that declares the function differently. */
static bool is_own_name(const struct elf_symbol *symbol)
{
    static const char *const PREFIXES[] = {".", "__UFT", "__UDT", "__cuda_sm"};
    const char *name = symbol->name;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (!strncmp(name, PREFIXES[i], strlen(PREFIXES[i])))
            return false;
    return symbol->binding != STB_LOCAL && *name && !system_function(name);
}

static bool is_undefined(const struct elf_symbol *symbol)
{
    return symbol->section == SHN_UNDEF;
}

/* Returns the address space of the function or variable that a symbol defines. */
static unsigned space_of(const struct input_object *object, const struct elf_symbol *symbol)
{
    if (symbol->type == STT_FUNC)
        return SPACE_FUNCTION;
    if (symbol->section >= object->elf.section_count)
        return SPACE_GLOBAL; /* a common symbol */
    switch (object->elf.sections[symbol->section].kind) {
    case INPUT_GLOBAL:
    case INPUT_GLOBAL_INIT:
        return SPACE_GLOBAL;
    case INPUT_CONSTANT_USER:
        return SPACE_CONSTANT;
    case INPUT_SHARED_FILE:
        return SPACE_SHARED;
    default:
        return NO_SPACE;
    }
}

static void note_definitions(const struct input_object *object, struct name_table *names)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (!is_own_name(&symbol))
            continue;
        struct used_name *used = name_table_intern(names, symbol.name);
        used->is_defined |= !is_undefined(&symbol) && symbol.binding == STB_GLOBAL;
    }
}

static void list_kept(link_context *link, struct kept_names *kept,
                      const struct input_object *object, const struct elf_symbol *symbol)
{
    if (is_undefined(symbol) && symbol->type != STT_FUNC) {
        *ARENA_APPEND(&link->arena, kept, variables) = symbol->name;
        return;
    }
    unsigned space = space_of(object, symbol);
    if (space != NO_SPACE)
        *ARENA_APPEND(&link->arena, kept, names) = (struct warpld_kept_name){
            .name = symbol->name,
            .address_space = space,
            .variable_size = space == SPACE_FUNCTION ? 0 : (size_t)symbol->size,
        };
}

/* Lists the names that the object refers to and those that it defines as weak. Leaves out names
 * that some object defines as GLOBAL. */
static void list_kept_of(link_context *link, struct kept_names *kept,
                         const struct input_object *object, struct name_table *names)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        bool is_needed =
            is_undefined(&symbol) ? symbol.binding == STB_GLOBAL : symbol.binding == STB_WEAK;
        if (!is_needed || !is_own_name(&symbol) || symbol.other & STO_CUDA_ENTRY)
            continue;
        struct used_name *used = name_table_find(names, symbol.name);
        if (used->is_defined || used->is_listed)
            continue;
        used->is_listed = true;
        list_kept(link, kept, object, &symbol);
    }
}

void kept_names_collect(link_context *link, struct kept_names *kept)
{
    struct name_table names;
    name_table_init(&names, &link->arena, sizeof(struct used_name));
    *kept = (struct kept_names){.names = NULL};
    for (size_t i = 0; i < link->objects_count; i++)
        note_definitions(link->objects[i], &names);
    for (size_t i = 0; i < link->objects_count; i++)
        list_kept_of(link, kept, link->objects[i], &names);
}

void kept_names_of(link_context *link, struct kept_names *kept, const struct input_object *object)
{
    *kept = (struct kept_names){.names = NULL};
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        bool is_hidden = symbol.binding == STB_WEAK || symbol.type == STT_FUNC;
        if (is_hidden && !is_undefined(&symbol) && is_own_name(&symbol) &&
            !(symbol.other & STO_CUDA_ENTRY))
            list_kept(link, kept, object, &symbol);
    }
}
