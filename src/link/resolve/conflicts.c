/* Checks that two declarations of one name agree.
 *
 * Part of pass_resolve. The kinds of the two declarations decide which messages nvlink 13.0.88
 * prints, their order, and which file they name as the first. This was observed with every ordered
 * pair of 52 kinds of declarations (functions, kernels, aliases, variables of each memory space and
 * size, common symbols, textures; undefined, weak, global and static) for sm_80, and checked with
 * random pairs and triples for sm_75 to sm_90a. */
#include "link/resolve/conflicts.h"

#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"
#include "link/resolve/conflict_notes.h"

/* Returns the file that nvlink's messages name as the first: the file of the first declaration,
 * even if this is only a reference (`define` in resolve.c has the exceptions). If the first
 * declaration is a texture, the messages have "<input>" instead of a file. */
static const char *nvlinks_first_file(const link_context *link, const struct symbol *known)
{
    return known->named ? link->objects[known->named - 1]->name : "<input>";
}

/* Returns the file of the known definition. If there is none, returns the file of the first
 * declaration. */
static const char *file_of_first(const link_context *link, const struct symbol *known)
{
    return known->object ? known->object->name : nvlinks_first_file(link, known);
}

/* Adds a note about the likely cause. Nearly always, a header contains the definition, or the
 * command line names an object twice. */
static void explain_two_definitions(link_context *link, const struct symbol *known,
                                    const struct input_object *object)
{
    const char *name = symbol_name(known), *first = file_of_first(link, known);
    if (!known->object || !conflict_notes_same_object(link, known->object, object, name))
        diagnostic_report(&link->diagnostics,
                          known->function ? DIAGNOSTIC_FUNCTION_DEFINED_TWICE
                                          : DIAGNOSTIC_VARIABLE_DEFINED_TWICE,
                          object->name, name, first, object->name);
}

static bool report_pair(link_context *link, enum diagnostic_name message,
                        const struct symbol *known, const struct input_object *object)
{
    const char *name = symbol_name(known);
    const char *first =
        link->options.as_nvlink ? nvlinks_first_file(link, known) : file_of_first(link, known);
    diagnostic_report(&link->diagnostics, message, object->name, name, name, object->name, first);
    if (message == DIAGNOSTIC_MULTIPLE_DEFINITION)
        explain_two_definitions(link, known, object);
    return false;
}

/* Reports a conflict of two declarations, and what each of them declares. */
static bool report_declarations(link_context *link, enum diagnostic_name message,
                                const struct symbol *known, const struct input_object *object,
                                const struct elf_symbol *input)
{
    struct declaration first = {file_of_first(link, known), known->type, known->other};
    struct declaration second = {object->name, input->type, input->other};
    report_pair(link, message, known, object);
    conflict_notes_declarations(link, input->name, second, first);
    return false;
}

static bool is_common(const struct elf_symbol *input)
{
    return input->section == ELF_SECTION_COMMON;
}

bool conflicts_is_initialised(const struct input_object *object, const struct elf_symbol *input)
{
    return input->section != SHN_UNDEF && input->section < object->elf.section_count &&
           input_section_kind(&object->elf.sections[input->section]) == INPUT_GLOBAL_INIT;
}

bool conflicts_known_is_initialised(const struct symbol *known)
{
    if (!known->defined || known->function)
        return false;
    struct elf_symbol input = elf_view_symbol(&known->object->elf, VIEW_NATIVE, known->input_index);
    return conflicts_is_initialised(known->object, &input);
}

/* Returns the type that is compared: STT_CUDA_OBJECT is treated like STT_OBJECT (observed). */
static uint8_t plain_type(uint8_t type)
{
    return type == STT_CUDA_OBJECT ? STT_OBJECT : type;
}

static bool same_space(const struct symbol *known, const struct elf_symbol *input)
{
    return plain_type(known->type) == plain_type(input->type) &&
           (known->other & STO_CUDA_SPACE) == (input->other & STO_CUDA_SPACE);
}

/* Whether the sizes in two declarations agree. Size 0 in a reference agrees with all sizes, because
 * an array of unknown length has size 0. A common symbol may differ in size from other common
 * symbols and initialised definitions. It must have the size of zero-filled definitions and of
 * references. */
static bool sizes_agree(const struct symbol *known, const struct input_object *object,
                        const struct elf_symbol *input)
{
    if (known->size == input->size || (input->section == SHN_UNDEF && input->size == 0))
        return true;
    bool known_common = known->common && !known->defined;
    if (is_common(input) && (known_common || conflicts_known_is_initialised(known)))
        return true;
    if (known_common)
        return conflicts_is_initialised(object, input);
    return !known->defined && known->size == 0 &&
           !(symbol_is_extern_shared(known) && is_common(input));
}

static bool known_is_alias(const struct symbol *known)
{
    return known->function && known->size == 0;
}

/* Whether both declarations are GLOBAL and count as definitions. Two kinds of declarations without
 * contents count:
 * - extern shared memory, if the other declaration is in another memory space
 * - a common symbol, if the other declaration is a function, or a zero-filled variable that was
 *   read before it
 * A shared variable does not conflict with an alias that was read before it. */
static bool both_defined(const struct symbol *known, const struct elf_symbol *input)
{
    if (known->binding != STB_GLOBAL || input->binding != STB_GLOBAL || input->section == SHN_UNDEF)
        return false;
    if (known_is_alias(known) && (input->other & STO_CUDA_SPACE) == STO_CUDA_SHARED)
        return false;
    if (known->defined)
        return !is_common(input) || !conflicts_known_is_initialised(known);
    if (known->common)
        return input->type == STT_FUNC;
    return symbol_is_extern_shared(known) && !same_space(known, input);
}

static bool report_different_sizes(link_context *link, const struct symbol *known,
                                   const struct input_object *object,
                                   const struct elf_symbol *input)
{
    report_pair(link, DIAGNOSTIC_SIZE_MISMATCH, known, object);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_SIZES_DIFFER, object->name, symbol_name(known),
                      (unsigned long long)input->size, object->name,
                      (unsigned long long)known->size, file_of_first(link, known));
    return false;
}

static bool check_variable(link_context *link, const struct symbol *known,
                           const struct input_object *object, const struct elf_symbol *input)
{
    bool good = true;
    if ((known->other ^ input->other) & STO_CUDA_MANAGED)
        good = report_declarations(link, DIAGNOSTIC_MANAGED_MISMATCH, known, object, input);
    if (!sizes_agree(known, object, input))
        good = report_different_sizes(link, known, object, input);
    return good;
}

/* Whether the first definition is a GLOBAL shared variable of a kernel. pass_merge will refuse it.
 * nvlink 13.0.88 refuses it before it reads the next object, and so reports no conflict with that
 * object (observed with patched objects for sm_75 to sm_90). */
static bool is_refused(const struct symbol *known)
{
    if (known->section_type != SHT_CUDA_SHARED || !known->defined || known->binding != STB_GLOBAL)
        return false;
    struct elf_symbol first = elf_view_symbol(&known->object->elf, VIEW_NATIVE, known->input_index);
    return input_section_kind(&known->object->elf.sections[first.section]) == INPUT_SHARED_ENTRY;
}

/* Whether a quick look shows that the declarations agree: they have the same kind and size, and are
 * not both GLOBAL definitions. */
static bool agree_plainly(const struct symbol *known, const struct elf_symbol *input)
{
    bool may_be_two =
        known->binding == STB_GLOBAL && input->binding == STB_GLOBAL && input->section != SHN_UNDEF;
    bool is_same_variable =
        known->size == input->size && !((known->other ^ input->other) & STO_CUDA_MANAGED);
    return same_space(known, input) && !may_be_two && (input->type == STT_FUNC || is_same_variable);
}

__attribute__((noinline)) static bool check_closely(link_context *link, const struct symbol *known,
                                                    const struct input_object *object,
                                                    const struct elf_symbol *input)
{
    bool good = true;
    if (is_refused(known))
        return true;
    if (!same_space(known, input))
        good = report_declarations(link, DIAGNOSTIC_SPACE_MISMATCH, known, object, input);
    if (input->type != STT_FUNC)
        good &= check_variable(link, known, object, input);
    if (both_defined(known, input))
        good = report_pair(link, DIAGNOSTIC_MULTIPLE_DEFINITION, known, object);
    return good;
}

/* agree_plainly nearly always returns true. It is inlined, and the call of check_closely is
 * avoided: this saves three quarters of the instructions of all checks. */
bool conflicts_check(link_context *link, const struct symbol *known,
                     const struct input_object *object, const struct elf_symbol *input)
{
    return agree_plainly(known, input) || check_closely(link, known, object, input);
}

bool conflicts_check_entry(link_context *link, const struct symbol *first,
                           const struct input_object *object, const struct elf_symbol *input)
{
    if (!((first->other ^ input->other) & STO_CUDA_ENTRY))
        return true;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_ENTRY_MISMATCH, object->name, input->name,
                      input->name);
    struct declaration second = {object->name, input->type, input->other};
    struct declaration earlier = {file_of_first(link, first), first->type, first->other};
    conflict_notes_declarations(link, input->name, second, earlier);
    return false;
}

bool conflicts_check_texture(link_context *link, const struct symbol *first,
                             const struct input_object *object, const struct elf_symbol *input)
{
    return (first->type == input->type && input->binding != STB_WEAK) ||
           report_pair(link, DIAGNOSTIC_MULTIPLE_DEFINITION, first, object);
}

bool conflicts_check_common(link_context *link, const struct symbol *known, uint64_t common_size,
                            uint64_t size, const struct input_object *common_object)
{
    if (common_size <= size)
        return true;
    const char *name = symbol_name(known);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMMON_TOO_LARGE, common_object->name, name,
                      name, common_object->name);
    return false;
}
