/* Names to definitions.
 *
 * Requires: opened inputs. Makes: symbols, functions, each object's map from its symbols to them,
 * and the state of every copy. Frozen after: which definition each name has.
 *
 * Objects are read in order, and each name is decided against what was read before, because what a
 * losing copy leaves behind depends on when it lost: one that loses when it is read is rejected and
 * leaves nothing; one that was accepted and loses later is replaced and its place stays (observed
 * on some thousand weak copies with nvlink 13.0.88). */
#include <assert.h>

#include "link/link.h"
#include "link/system_symbols.h"
#include "link/weak.h"

static struct function *new_function(link_context *link, struct symbol *symbol)
{
    struct function *function = ARENA_NEW(ARENA, struct function);
    function->symbol = symbol;
    function->index = (uint32_t)link->functions_count;
    *ARENA_APPEND(ARENA, link, functions) = function;
    return function;
}

/* The linker's own names are weak references in the inputs and globals in the output. Only those of
 * reserved shared memory may be global references too. */
static void stand_in(struct symbol *symbol, uint8_t binding)
{
    enum linker_symbol kind = linker_symbol(symbol->name->name.text);
    bool is_placeholder = kind == LINKER_SYMBOL_UNIFIED || kind == LINKER_SYMBOL_CODE_OFFSET;
    if (kind == LINKER_SYMBOL_NONE || (is_placeholder && binding != STB_WEAK))
        return;
    symbol->list = LIST_GLOBAL;
    symbol->linker_made = true;
    symbol->name_only = is_placeholder;
}

static struct symbol *new_symbol(link_context *link, struct linked_name *name,
                                 const struct elf_symbol *input)
{
    struct symbol *symbol = ARENA_NEW(ARENA, struct symbol);
    symbol->name = name;
    symbol->type = input->type;
    bool texture = symbol_type_is_texture(input->type);
    symbol->list = input->binding == STB_GLOBAL || texture ? LIST_GLOBAL : LIST_LOCAL;
    symbol->dropped = (input->other & STO_VISIBILITY) == STV_INTERNAL && !texture;
    if (input->type == STT_FUNC)
        symbol->function = new_function(link, symbol);
    if (input->section == SHN_UNDEF && input->type != STT_FUNC)
        stand_in(symbol, input->binding);
    return symbol;
}

static bool is_definition(const struct elf_symbol *input)
{
    return input->section != SHN_UNDEF && input->section != ELF_SECTION_COMMON;
}

/* Takes over what a definition, or for now a reference, says. */
static void adopt(struct symbol *symbol, struct input_object *object, uint32_t index,
                  const struct elf_symbol *input)
{
    /* A definition does not change the visibility of the references before it (observed). */
    if (!symbol->object || symbol->defined)
        symbol->other = input->other;
    symbol->object = object;
    symbol->input_index = index;
    symbol->binding = input->binding;
    symbol->type = input->type;
    symbol->size = input->size;
    symbol->value = input->value;
    if (symbol->function)
        symbol->function->entry = input->other & STO_CUDA_ENTRY;
}

static void define(struct symbol *symbol, struct input_object *object, uint32_t index,
                   const struct elf_symbol *input)
{
    adopt(symbol, object, index, input);
    symbol->defined = true;
    symbol->common = symbol->linker_made = symbol->name_only = false;
    object->copies[index] = COPY_USED;
    if (symbol->function && !symbol->function->first_copy)
        symbol->function->first_copy = object;
}

static const char *name_of(const struct symbol *symbol)
{
    return symbol->name->name.text;
}

static void report_pair(link_context *link, enum diagnostic_name message,
                        const struct symbol *symbol, const struct input_object *object)
{
    diagnostic_report(&link->diagnostics, message, object->name, name_of(symbol), name_of(symbol),
                      object->name, symbol->object->name);
}

/* Commons may differ, and a reference to an array of unknown length has size 0. */
static bool sizes_agree(const struct symbol *symbol, const struct elf_symbol *input)
{
    if (symbol->size == input->size || symbol->common || input->section == ELF_SECTION_COMMON)
        return true;
    return (input->section == SHN_UNDEF && input->size == 0) ||
           (!symbol->defined && symbol->size == 0);
}

/* Plain objects and variables with a memory space go together (observed). */
static uint8_t plain_type(uint8_t type)
{
    return type == STT_CUDA_OBJECT ? STT_OBJECT : type;
}

/* A reference and a definition, or two declarations, must agree on what the name is. Only variables
 * have a size to compare: an extern shared symbol has none, and a function's is that of its code.
 */
static bool agree(link_context *link, const struct symbol *symbol,
                  const struct input_object *object, const struct elf_symbol *input)
{
    if (symbol->function && input->type == STT_FUNC) {
        if (symbol->function->entry == !!(input->other & STO_CUDA_ENTRY))
            return true;
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_ENTRY_MISMATCH, object->name,
                          name_of(symbol), name_of(symbol));
        return false;
    }
    if (plain_type(symbol->type) != plain_type(input->type) ||
        (symbol->other & STO_CUDA_SPACE) != (input->other & STO_CUDA_SPACE)) {
        report_pair(link, DIAGNOSTIC_SPACE_MISMATCH, symbol, object);
        return false;
    }
    if ((symbol->other ^ input->other) & STO_CUDA_MANAGED) {
        report_pair(link, DIAGNOSTIC_MANAGED_MISMATCH, symbol, object);
        return false;
    }
    if (!sizes_agree(symbol, input)) {
        report_pair(link, DIAGNOSTIC_SIZE_MISMATCH, symbol, object);
        return false;
    }
    return true;
}

/* A common definition: the largest size counts, and the alignment of the first one read. */
static void add_common(link_context *link, struct symbol *symbol, struct input_object *object,
                       uint32_t index, const struct elf_symbol *input)
{
    if (symbol->object && !agree(link, symbol, object, input))
        return;
    if (symbol->defined) {
        if (input->size > symbol->size)
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMMON_TOO_LARGE, object->name,
                              name_of(symbol), name_of(symbol), object->name);
        return;
    }
    if (!symbol->common) {
        uint64_t size = symbol->size;
        adopt(symbol, object, index, input);
        symbol->common = true;
        symbol->common_alignment = input->value;
        symbol->size = size > input->size ? size : input->size;
        *ARENA_APPEND(ARENA, link, commons) = symbol;
    } else if (input->size > symbol->size) {
        symbol->size = input->size;
    }
}

static bool replaces(link_context *link, const struct symbol *symbol, struct input_object *object,
                     uint32_t index, const struct elf_symbol *input)
{
    if (symbol->binding != STB_WEAK)
        return false;
    if (input->binding == STB_GLOBAL)
        return true;
    return symbol->function && weak_function_wins(link, symbol, object, index);
}

/* Another definition of a name that has one. */
static void add_second_definition(link_context *link, struct symbol *symbol,
                                  struct input_object *object, uint32_t index,
                                  const struct elf_symbol *input)
{
    if (symbol->binding == STB_GLOBAL && input->binding == STB_GLOBAL) {
        report_pair(link, DIAGNOSTIC_MULTIPLE_DEFINITION, symbol, object);
        return;
    }
    if (!agree(link, symbol, object, input))
        return;
    if (symbol->function && symbol->function->entry && symbol->binding == input->binding)
        weak_check_parameters(link, symbol, object, index);
    if (replaces(link, symbol, object, index, input)) {
        symbol->object->copies[symbol->input_index] = COPY_REPLACED;
        if (symbol->function)
            weak_replace(link, symbol, object);
        define(symbol, object, index, input);
    } else {
        object->copies[index] = COPY_REJECTED;
    }
}

static void add_definition(link_context *link, struct symbol *symbol, struct input_object *object,
                           uint32_t index, const struct elf_symbol *input)
{
    if (symbol->defined) {
        add_second_definition(link, symbol, object, index, input);
        return;
    }
    if (symbol->common && symbol->size > input->size) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMMON_TOO_LARGE, symbol->object->name,
                          name_of(symbol), name_of(symbol), symbol->object->name);
        return;
    }
    if (symbol->object && !agree(link, symbol, object, input))
        return;
    define(symbol, object, index, input);
}

static void resolve_global(link_context *link, struct input_object *object, uint32_t index,
                           const struct elf_symbol *input)
{
    struct linked_name *name = link_intern(link, input->name);
    bool is_new = !name->symbol;
    if (is_new)
        name->symbol = new_symbol(link, name, input);
    struct symbol *symbol = name->symbol;
    object->symbols[index] = symbol;
    if (is_definition(input))
        add_definition(link, symbol, object, index, input);
    else if (input->section == ELF_SECTION_COMMON)
        add_common(link, symbol, object, index, input);
    else if (is_new)
        adopt(symbol, object, index, input);
    else
        agree(link, symbol, object, input);
}

static void resolve_local(link_context *link, struct input_object *object, uint32_t index,
                          const struct elf_symbol *input)
{
    struct symbol *symbol = new_symbol(link, link_intern(link, input->name), input);
    object->symbols[index] = symbol;
    if (is_definition(input))
        define(symbol, object, index, input);
    else
        adopt(symbol, object, index, input);
}

/* Section symbols stand for sections and are made anew; untyped ones have no meaning: nvlink drops
 * them and treats a relocation against one as against symbol 0 (observed with patched objects). */
static bool takes_part(const struct elf_symbol *input)
{
    return input->type != STT_SECTION && input->type != STT_NOTYPE && input->type != STT_FILE;
}

/* A function symbol in another function's code is a second name for it. */
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

/* Device code has no absolute symbols (nvlink 13.0.88 crashes on one). */
static void report_absolute(link_context *link, const struct input_object *object,
                            const struct elf_symbol *input)
{
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_ABSOLUTE_SYMBOL, object->name, input->name,
                      object->name, input->name);
}

/* Functions come first, as in nvlink: it shows in the order of messages. */
static void resolve_symbols(link_context *link, struct input_object *object, bool functions)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (!takes_part(&input) || (input.type == STT_FUNC) != functions)
            continue;
        if (input.section == ELF_SECTION_ABSOLUTE) {
            report_absolute(link, object, &input);
            continue;
        }
        if (input.binding == STB_LOCAL)
            resolve_local(link, object, i, &input);
        else
            resolve_global(link, object, i, &input);
    }
}

static void resolve_object(link_context *link, struct input_object *object)
{
    uint32_t count = object->elf.symbols[VIEW_NATIVE].count;
    object->symbols = ARENA_ARRAY(ARENA, struct symbol *, count);
    object->copies = ARENA_ARRAY(ARENA, uint8_t, count);
    object->contributions = ARENA_ARRAY(ARENA, struct contribution, object->elf.section_count);
    resolve_symbols(link, object, true);
    resolve_symbols(link, object, false);
    find_aliases(object);
}

/* All conflicts of one input are reported, then the link ends (as nvlink). */
void resolve(link_context *link)
{
    assert(link->stage == STAGE_INPUTS);
    for (size_t i = 0; i < link->objects_count; i++) {
        resolve_object(link, link->objects[i]);
        check_inputs(link, link->objects[i]);
        if (diagnostics_failed(&link->diagnostics)) {
            diagnostic_report(&link->diagnostics, DIAGNOSTIC_MERGE_FAILED, NULL, NULL);
            return;
        }
    }
    link->stage = STAGE_RESOLVED;
}
