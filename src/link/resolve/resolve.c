/* Resolves each name to a definition.
 *
 * Requires: CHOSEN (objects), LISTED (the list of objects must be complete even if this pass ends
 * the link).
 * Makes: RESOLVED, symbols, functions, each object's map from its symbols to those of the link, the
 * state of every copy, and the call graph pairs that callgraph_build.c reads.
 * Frozen after: DEFINITIONS.
 *
 * Objects are read in order, and each definition is compared with the definitions read before it.
 * The traces that an unused copy leaves in the output depend on the order:
 *
 *   - A copy is discarded if an earlier copy takes precedence. It leaves at most bytes in sections
 *     that it shares with other definitions.
 *   - A copy is superseded if a later copy takes precedence. Its position in the output is kept for
 *     the definition that is used.
 *
 * This was observed with some thousand weak copies and nvlink 13.0.88. */
#include <assert.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "base/system_functions.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/system_symbols.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"
#include "link/model/views.h"
#include "link/model/whole_programs.h"
#include "link/resolve/callgraph_build.h"
#include "link/resolve/check_inputs.h"
#include "link/resolve/conflicts.h"
#include "link/resolve/discarded_ranges.h"
#include "link/resolve/resolve_state.h"
#include "link/resolve/weak.h"

static struct function *new_function(link_context *link, struct symbol *symbol)
{
    struct function *function =
        arena_take(&link->arena, &link->resolve->function_row, 1, sizeof *function);
    function->symbol = symbol;
    function->register_limit = USUAL_REGISTER_LIMIT;
    function->is_system = system_function(symbol_name(symbol)); /* here: the name is still cached */
    function->index = (uint32_t)link->functions_count;
    *ARENA_APPEND(&link->arena, link, functions) = function;
    return function;
}

/* Marks a symbol that the linker defines. Inputs refer to it with binding WEAK; to a symbol of
 * reserved shared memory, also with binding GLOBAL. In the output it is GLOBAL. */
static void mark_linker_symbol(const link_context *link, struct symbol *symbol)
{
    const struct name *name = &symbol->name->name;
    enum linker_symbol kind = linker_symbol(name->text, name->size);
    bool is_placeholder = kind == LINKER_SYMBOL_UNIFIED || kind == LINKER_SYMBOL_CODE_OFFSET;
    if (kind == LINKER_SYMBOL_NONE)
        return;
    symbol->list = LIST_GLOBAL;
    symbol->linker_made = (uint8_t)kind;
    symbol->name_only =
        is_placeholder && !link->options.relocatable && !link->options.unified_index;
}

/* Creates a symbol. `in_kernel` is true if the symbol is part of a kernel, so that its name has no
 * meaning outside the kernel. */
static struct symbol *new_symbol(link_context *link, struct linked_name *name,
                                 const struct elf_symbol *input, bool in_kernel)
{
    struct symbol *symbol = arena_take(&link->arena, &link->resolve->symbol_row, 1, sizeof *symbol);
    symbol->name = name;
    symbol->type = input->type;
    bool texture = symbol_type_is_texture(input->type);
    if (input->type == STT_CUDA_SURFACE)
        link->resolve->has_surfaces = true;
    bool is_reference = texture && input->section == SHN_UNDEF;
    bool is_global =
        input->binding == STB_GLOBAL || is_reference ||
        (input->binding == STB_WEAK && link_follows(link, RELEASE_LISTS_WEAK_AS_GLOBAL));
    symbol->list = is_global ? LIST_GLOBAL : LIST_LOCAL;
    symbol->dropped = (input->other & STO_VISIBILITY) == STV_INTERNAL && !texture &&
                      !link->options.relocatable && !link->options.preserve_relocations;
    if (input->type == STT_FUNC && !in_kernel)
        symbol->function = new_function(link, symbol);
    if (input->section == SHN_UNDEF && input->type != STT_FUNC)
        mark_linker_symbol(link, symbol);
    return symbol;
}

static bool is_definition(const struct elf_symbol *input)
{
    return input->section != SHN_UNDEF && input->section != ELF_SECTION_COMMON;
}

/* Copies the properties of a declaration to the symbol. The declaration is a definition, or, while
 * the symbol has no definition, a reference. */
static void adopt(struct symbol *symbol, struct input_object *object, uint32_t index,
                  const struct elf_symbol *input)
{
    /* Generally, the first declaration of a symbol decides the visibility. But a shared variable
     * has the visibility of its definition, and a function has the visibility of a definition that
     * supersedes another (observed with each pair of visibilities). */
    bool is_shared = (input->other & STO_CUDA_SPACE) == STO_CUDA_SHARED;
    if (!symbol->object || is_shared || (symbol->defined && symbol->function))
        symbol->other = input->other;
    symbol->object = object;
    symbol->input_index = index;
    symbol->binding = input->binding;
    symbol->type = input->type;
    symbol->size = input->size;
    symbol->value = input->value;
    symbol->section_type = input->section < object->elf.section_count
                               ? object->elf.sections[input->section].type
                               : SHT_NULL;
    if (symbol->function)
        symbol->function->entry = input->other & STO_CUDA_ENTRY;
}

/* Records a reference. Messages about this symbol will name the reference's object; messages about
 * textures name no object. */
static void declare(struct symbol *symbol, struct input_object *object, uint32_t index,
                    const struct elf_symbol *input)
{
    adopt(symbol, object, index, input);
    if (!symbol_type_is_texture(input->type))
        symbol->named = object->position + 1;
}

/* Makes the object's definition the definition of the program. For a function, messages name the
 * object of the first definition. For a variable they name the object of the first declaration of
 * any kind. add_common and define_common make exceptions for names of common symbols. */
static void define(struct symbol *symbol, struct input_object *object, uint32_t index,
                   const struct elf_symbol *input)
{
    assert(object);
    if (!symbol->named || (symbol->function && !symbol->defined))
        symbol->named = object->position + 1;
    adopt(symbol, object, index, input);
    symbol->defined = true;
    symbol->linker_made = LINKER_SYMBOL_NONE;
    symbol->name_only = false;
    if (symbol->function)
        symbol->function->is_stub = unified_is_stub(object, input->section);
    object->copies[index] = COPY_USED;
    if (symbol->function && !symbol->function->has_first_copy) {
        symbol->function->has_first_copy = true;
        symbol->function->first_virtual_sm = object->virtual_sm;
    }
}

static void discard(struct input_object *object, uint32_t index)
{
    object->copies[index] = COPY_DISCARDED;
    object->has_discarded = true;
}

static void become_common(link_context *link, struct symbol *symbol, struct input_object *object,
                          uint32_t index, const struct elf_symbol *input)
{
    uint8_t binding = symbol->object ? symbol->binding : input->binding;
    if (symbol->object && symbol->defined)
        symbol->object->copies[symbol->input_index] = COPY_SUPERSEDED;
    adopt(symbol, object, index, input);
    symbol->binding = binding;
    symbol->named = object->position + 1;
    symbol->linker_made = LINKER_SYMBOL_NONE;
    symbol->defined = symbol->name_only = false;
    symbol->common = true;
    symbol_add_rare(link, symbol)->common_alignment = input->value;
    *ARENA_APPEND(&link->arena, link->resolve, commons) = symbol;
}

/* Adds a common symbol. Several common symbols of one name become one, with the largest size, and
 * with the alignment of the first. A common symbol supersedes a weak zero-filled definition. */
static void add_common(link_context *link, struct symbol *symbol, struct input_object *object,
                       uint32_t index, const struct elf_symbol *input, bool fits)
{
    if (conflicts_known_is_initialised(symbol)) {
        conflicts_check_common(link, symbol, input->size, symbol->size, object);
    } else if (!fits) {
        return;
    } else if (!symbol->common) {
        become_common(link, symbol, object, index, input);
    } else if (input->size > symbol->size) {
        TRACE(&link->trace, TRACE_COMMON_GROWS, symbol_name(symbol));
        symbol->size = input->size;
        symbol->named = object->position + 1;
    }
}

/* Adds a definition of a name that is a common symbol so far. Only a GLOBAL definition takes
 * precedence over the common symbol. If the definition is zero-filled, its bytes are in the output,
 * but the symbol remains in the list of common symbols. */
static void define_common(link_context *link, struct symbol *symbol, struct input_object *object,
                          uint32_t index, const struct elf_symbol *input)
{
    bool initialised = conflicts_is_initialised(object, input);
    if (initialised && !conflicts_check_common(link, symbol, symbol->size, input->size,
                                               link->objects[symbol->named - 1]))
        return;
    if (initialised)
        symbol->named = object->position + 1;
    if (input->binding != STB_GLOBAL) {
        discard(object, index);
        if (symbol->binding == STB_WEAK) /* a weak definition preceded the common one */
            discarded_ranges_add(link, object, input);
        if (initialised)
            symbol_add_rare(link, symbol)->overridden = object;
        return;
    }
    define(symbol, object, index, input);
    if (initialised)
        TRACE(&link->trace, TRACE_COMMON_DEFINED, symbol_name(symbol));
    if (initialised || symbol_rare(symbol)->overridden)
        symbol->common = false;
}

static bool supersedes(link_context *link, const struct symbol *symbol, struct input_object *object,
                       uint32_t index, const struct elf_symbol *input)
{
    if (symbol->binding != STB_WEAK)
        return false;
    if (input->binding == STB_GLOBAL)
        return true;
    return symbol->function && weak_function_wins(link, symbol, object, index);
}

/* Adds another definition of a name that has one already. The two definitions do not conflict. */
static void add_second_definition(link_context *link, struct symbol *symbol,
                                  struct input_object *object, uint32_t index,
                                  const struct elf_symbol *input)
{
    if (symbol->function && symbol->function->entry && symbol->binding == input->binding)
        weak_check_parameters(link, symbol, object, index);
    if (supersedes(link, symbol, object, index, input)) {
        symbol->object->copies[symbol->input_index] = COPY_SUPERSEDED;
        if (symbol->function)
            weak_supersede(link, symbol, object);
        define(symbol, object, index, input);
    } else {
        TRACE(&link->trace, TRACE_WEAK_PROCESSED, symbol_name(symbol));
        discard(object, index);
        if (symbol->binding == STB_WEAK)
            discarded_ranges_add(link, object, input);
    }
}

/* Computes the flag STO_CUDA_STICKY of a function. The flag is set if the first reference or
 * definition of the function has it. It is also set if any weak definition has it, even a discarded
 * one. But a GLOBAL definition that supersedes a weak one keeps its own value of the flag (observed
 * with each choice of three objects in each order). */
static uint8_t sticky_bits(const struct symbol *symbol, const struct elf_symbol *input)
{
    bool both_weak = symbol->binding == STB_WEAK && input->binding == STB_WEAK;
    return symbol->defined && !both_weak ? 0 : (symbol->other | input->other) & STO_CUDA_STICKY;
}

/* Adds a definition. If it is the first definition of a function and conflicts with a reference, it
 * is added anyway, so that messages about the prototype name its file. */
static void add_definition(link_context *link, struct symbol *symbol, struct input_object *object,
                           uint32_t index, const struct elf_symbol *input, bool fits)
{
    bool referred = !symbol->defined && symbol->function && input->type == STT_FUNC;
    uint8_t sticky = symbol->function ? sticky_bits(symbol, input) : 0;
    if (!fits && !referred)
        return;
    if (symbol->defined)
        add_second_definition(link, symbol, object, index, input);
    else if (symbol->common && !referred)
        define_common(link, symbol, object, index, input);
    else
        define(symbol, object, index, input);
    symbol->other |= sticky;
}

/* Compares a weak kernel's parameters with those of a static kernel of the same name. */
static void check_static_kernel(link_context *link, const struct symbol *symbol,
                                struct input_object *object, uint32_t index,
                                const struct elf_symbol *input)
{
    const struct function *first =
        symbol->function ? function_first_static(link, symbol->function) : NULL;
    if (first && first->entry && input->type == STT_FUNC && input->binding == STB_WEAK &&
        is_definition(input))
        weak_check_parameters(link, first->symbol, object, index);
}

/* Checks a function or texture against the first symbol of its name: the GLOBAL or WEAK symbol or,
 * if there is none yet, the first static one. */
static bool fits_first(link_context *link, const struct symbol *first, struct input_object *object,
                       const struct elf_symbol *input)
{
    if (input->type == STT_FUNC)
        return conflicts_check_entry(link, first, object, input);
    if (symbol_type_is_texture(input->type))
        return conflicts_check_texture(link, first, object, input);
    return true;
}

/* Whether the symbol is in the constants that a compiler made for one function. nvlink 13.0.88
 * ignores the name of such a symbol, unless a reference to the name came first: the symbol resolves
 * no reference and conflicts with no definition (observed with patched objects for sm_75 and sm_80;
 * no compiler writes such a symbol). */
static bool is_nameless_constant(const struct input_object *object, const struct elf_symbol *input)
{
    return (input->other & STO_CUDA_SPACE) == STO_CUDA_CONSTANT &&
           input->section < object->elf.section_count &&
           input_section_kind(&object->elf.sections[input->section]) == INPUT_CONSTANT_ENTRY &&
           section_type_constant_bank(object->elf.sections[input->section].type) ==
               CONSTANT_BANK_COMPILER;
}

/* Resolves a GLOBAL or WEAK symbol of an object. Finds or creates the program's symbol, checks for
 * conflicts, and adds the definition, the common symbol or the reference. */
static void resolve_global(link_context *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input)
{
    struct linked_name *name = link_intern(link, input->name);
    struct name_uses *uses = name_add_uses(link, name);
    bool is_new = !uses->symbol;
    if (is_new && is_nameless_constant(object, input)) {
        object->symbols[index] = new_symbol(link, name, input, false);
        define(object->symbols[index], object, index, input);
        return;
    }
    const struct symbol *first = is_new ? uses->first_local : uses->symbol;
    bool fits = !first || fits_first(link, first, object, input);
    if (is_new)
        uses->symbol = new_symbol(link, name, input, false);
    struct symbol *symbol = uses->symbol;
    object->symbols[index] = symbol;
    if (!fits && symbol_type_is_texture(input->type))
        return;
    if (!is_new)
        fits &= conflicts_check(link, symbol, object, input);
    if (fits && !symbol->defined && uses->first_local)
        check_static_kernel(link, symbol, object, index, input);
    if (is_definition(input))
        add_definition(link, symbol, object, index, input, fits);
    else if (input->section == ELF_SECTION_COMMON)
        add_common(link, symbol, object, index, input, fits);
    else if (is_new)
        declare(symbol, object, index, input);
}

/* Returns the kernel's texture parameter of this name, or NULL if there is none. All copies of a
 * kernel share one symbol for each name (observed; nvlink 13.0.88 shares it even among all kernels,
 * see docs/quirks/definitions.md). */
static struct symbol *find_texture_parameter(const struct function *kernel,
                                             const struct linked_name *name)
{
    enum { MOST_SEARCHED = 1 << 10 }; /* limits the time for any input; no kernel can use so many */
    const struct rare_function *rare = function_rare(kernel);
    for (size_t i = 0; i < rare->texture_parameters_count && i < MOST_SEARCHED; i++)
        if (rare->texture_parameters[i]->name == name)
            return rare->texture_parameters[i];
    return NULL;
}

/* Resolves a texture parameter to the kernel's symbol of that name. The symbol is created if there
 * is none. The attributes separate this code from the common path, because few programs have
 * textures. */
__attribute__((noinline, cold)) static void
resolve_texture_parameter(link_context *link, struct input_object *object, uint32_t index,
                          const struct elf_symbol *input)
{
    const struct elf_section *code = &object->elf.sections[input->section];
    const struct symbol *owner = input_section_function(object, code, NULL);
    struct function *kernel = owner ? owner->function : NULL;
    struct linked_name *name = link_intern(link, input->name);
    struct symbol *symbol = kernel ? find_texture_parameter(kernel, name) : NULL;
    if (!symbol) {
        symbol = new_symbol(link, name, input, true);
        if (kernel)
            *ARENA_APPEND(&link->arena, function_add_rare(link, kernel), texture_parameters) =
                symbol;
    }
    object->symbols[index] = symbol;
    if (symbol->defined && !conflicts_check_texture(link, symbol, object, input))
        return;
    define(symbol, object, index, input);
    symbol->named = 0; /* nvlink names no file for textures */
}

/* Creates the program's symbol for a local symbol of an object. Records the first static symbol of
 * each name. */
static void resolve_local(link_context *link, struct input_object *object, uint32_t index,
                          const struct elf_symbol *input)
{
    if (elf_view_is_texture_parameter(&object->elf, input)) {
        resolve_texture_parameter(link, object, index, input);
        return;
    }
    bool is_inner = elf_view_is_inner(&object->elf, input);
    struct symbol *symbol = new_symbol(link, link_intern(link, input->name), input, is_inner);
    object->symbols[index] = symbol;
    if (is_inner) {
        define(symbol, object, index, input);
        return;
    }
    struct name_uses *uses = name_add_uses(link, symbol->name);
    if (!uses->first_local)
        uses->first_local = symbol;
    else if (symbol->function && !uses->first_local->function)
        function_note_static(link, symbol->function);
    if (is_definition(input))
        define(symbol, object, index, input);
    else
        declare(symbol, object, index, input);
}

/* Sets of symbol types, with one bit for each of the 16 types. Section symbols are ignored, because
 * they are generated for the output's sections. Symbols without a type have no meaning: nvlink
 * drops them, and treats a relocation that refers to one as if it referred to symbol 0 (observed
 * with patched objects). */
enum {
    FUNCTION_TYPE = 1 << STT_FUNC,
    IGNORED_TYPES = 1 << STT_NOTYPE | 1 << STT_SECTION | 1 << STT_FILE,
    VARIABLE_TYPES = 0xffff & ~(FUNCTION_TYPE | IGNORED_TYPES),
};

/* Finds aliases: a function symbol in the code of another function is an alias of that function. */
static void find_aliases(struct input_object *object)
{
    const struct elf_view *elf = &object->elf;
    for (uint32_t i = 1; i < elf->symbols[VIEW_NATIVE].count; i++) {
        struct symbol *symbol = object->symbols[i];
        if (!symbol || !symbol->function || object->copies[i] != COPY_USED)
            continue;
        struct elf_symbol input = elf_view_symbol(elf, VIEW_NATIVE, i);
        if (input.section >= elf->section_count)
            continue;
        struct symbol *owner = input_section_function(object, &elf->sections[input.section], NULL);
        symbol->function->alias_of = owner && owner != symbol ? owner->function : NULL;
    }
}

static void resolve_symbols(link_context *link, struct input_object *object, unsigned types)
{
    uint32_t count = object->elf.symbols[VIEW_NATIVE].count;
    for (uint32_t i = 1; i < count; i++) {
        if (!(types >> elf_view_symbol_type(&object->elf, VIEW_NATIVE, i) & 1))
            continue;
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (object->weak_facts)
            weak_report_parameters(link, object, input.section);
        if (input.binding == STB_LOCAL)
            resolve_local(link, object, i, &input);
        else
            resolve_global(link, object, i, &input);
    }
}

static void resolve_object(link_context *link, struct input_object *object)
{
    uint32_t count = object->elf.symbols[VIEW_NATIVE].count;
    object->symbols = ARENA_ARRAY(&link->arena, struct symbol *, count);
    object->copies = ARENA_ARRAY(&link->arena, uint8_t, count);
    object->contributions =
        ARENA_ARRAY(&link->arena, struct contribution, object->elf.section_count);
    if (link_has_mercury(link) && !views_pair(link, object))
        return;
    whole_programs_check(link, object);
    /* nvlink reads functions first, as the order of its messages shows */
    resolve_symbols(link, object, FUNCTION_TYPE);
    resolve_symbols(link, object, VARIABLE_TYPES);
    for (uint32_t i = 1; object->weak_facts && i < object->elf.section_count; i++)
        weak_report_parameters(link, object, i);
    find_aliases(object);
    discarded_ranges_sort(object);
}

/* Reports a common symbol that is kept although a weak definition of it has initial contents. Such
 * a link makes nvlink 13.0.88 crash. */
static void check_overridden_contents(link_context *link)
{
    for (size_t i = 0; i < link->resolve->commons_count; i++) {
        const struct symbol *symbol = link->resolve->commons[i];
        const struct input_object *object = symbol_rare(symbol)->overridden;
        if (symbol->common && !symbol->defined && object)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMMON_AND_CONTENTS, object->name,
                              symbol_name(symbol), symbol_name(symbol), symbol->object->name,
                              object->name);
    }
}

/* Returns whether an error was reported. If so, reports that the link ends, as the last message. */
static bool report_merge_failed(link_context *link)
{
    if (!diagnostics_failed(&link->diagnostics))
        return false;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_MERGE_FAILED, NULL, NULL);
    return true;
}

/* Resolves the names object by object. If an object conflicts with earlier ones, all of its
 * conflicts are reported, and then the link ends (as with nvlink). */
void pass_resolve(link_context *link)
{
    for (size_t i = 0; i < link->objects_count; i++) {
        resolve_object(link, link->objects[i]);
        check_inputs(link, link->objects[i]);
        if (report_merge_failed(link))
            return;
        callgraph_read(link, link->objects[i]);
    }
    check_overridden_contents(link);
    report_merge_failed(link);
}
