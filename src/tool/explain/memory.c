/* Explains shared memory, constants, parameters, barriers, local memory, textures and other
 * variables; see explain.h. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/debug/parameters.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/explain/explain.h"
#include "tool/explain/shared_rows.h"
#include "tool/explain/signature.h"
#include "tool/link_report/link_report.h"
#include "tool/print/parts.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"
#include "tool/program/references.h"

/* Says why the names of shared variables are missing: a linked file does not contain them. */
static void say_hidden(struct explanation *explanation, struct part *part)
{
    bool is_known = explanation->report &&
                    link_report_knows(explanation->report, shared_owner_name(explanation));
    if (explanation->report && !is_known)
        part_say(&explanation->parts, part, "%s does not know this kernel: it is of another link",
                 explanation->report->path);
    else if (explains_executable(explanation) && !is_known && !explanation->objects &&
             explanation->function->shared)
        part_say(&explanation->parts, part,
                 "a linked file does not name shared variables: name its objects, or --report with "
                 "what warpld --report=FILE.json wrote");
}

void explain_shared(struct explanation *explanation)
{
    const struct program_function *function = explanation->function;
    struct part *part = parts_add(
        &explanation->parts, "shared",
        arena_format(explanation->arena, "Shared memory: %" PRIu64 " bytes", function->shared));
    say_hidden(explanation, part);
    shared_rows_put(explanation, &part->rows);
}

/* ---------------------------------------------------------------------------------------------- */
/* Constants                                                                                      */

static const char *bank_contents(const struct explanation *explanation, int bank)
{
    const struct program_function *function = explanation->function;
    switch (bank) {
    case CONSTANT_BANK_PARAMETERS:
        return arena_format(explanation->arena,
                            "%" PRIu32 " bytes of parameters at 0x%" PRIx32
                            ", after what the driver passes",
                            function->parameter_bytes.value, function->parameter_offset.value);
    case CONSTANT_BANK_COMPILER:
        return "constants that the compiler generated, of the function";
    case CONSTANT_BANK_USER:
        return "__constant__ variables, of all kernels";
    case CONSTANT_BANK_PIC:
        return "addresses, of position-independent code";
    default:
        return "constants";
    }
}

static void put_bank(struct explanation *explanation, struct listing *rows, int bank)
{
    uint64_t own = explanation->function->constants[bank];
    listing_add_row(rows, 1);
    put_number(rows, "bank", (uint64_t)bank);
    put_number(rows, "own", own);
    put_number(rows, "all_kernels", explanation->program->constants[bank]);
    put_text(rows, "contents", bank_contents(explanation, bank));
}

void explain_constants(struct explanation *explanation)
{
    const struct program *program = explanation->program;
    struct part *part = parts_add(&explanation->parts, "constants", "Constant banks");
    for (int bank = 0; bank < CONSTANT_BANK_COUNT; bank++) {
        bool is_of_all = program->constants[bank] && !program->banks_used[bank];
        if (explanation->function->constants[bank] || is_of_all)
            put_bank(explanation, &part->rows, bank);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Parameters                                                                                     */

enum { ORDINALS = UINT16_MAX + 1 };

/* Returns the parameters of a function by their ordinals. If several have one ordinal, the array
 * has the first of them. */
static const struct program_parameter **by_ordinal(const struct program_function *function,
                                                   struct arena *arena)
{
    const struct program_parameter **all =
        ARENA_ARRAY(arena, const struct program_parameter *, ORDINALS);
    for (uint32_t i = function->parameters_count; i-- > 0;)
        all[function->parameters[i].ordinal] = &function->parameters[i];
    return all;
}

static void put_optional(struct listing *rows, const char *key, const char *text)
{
    if (text)
        put_text(rows, key, text);
    else
        put_absent(rows, key);
}

static void put_parameter(struct explanation *explanation, struct listing *rows,
                          const struct program_parameter *parameter, const char *type,
                          const char *name)
{
    uint64_t base = explanation->function->parameter_offset.value;
    listing_add_row(rows, 1);
    put_number(rows, "parameter", parameter->ordinal);
    put_hex(rows, "address", base + parameter->offset);
    put_number(rows, "size", parameter->size);
    put_optional(rows, "type", type);
    put_optional(rows, "name", name);
}

/* Adds a row for each parameter, in the order of the declaration. The types come from the mangled
 * name or, if it gives none, from debug information. The names come from debug information only. */
void explain_parameters(struct explanation *explanation)
{
    const struct program_function *function = explanation->function;
    const struct subject *subject = explanation->program->subject;
    uint32_t count = function->parameters_count, debug_count;
    struct part *part =
        parts_add(&explanation->parts, "parameters",
                  arena_format(explanation->arena, "Parameters: %" PRIu32 ", %" PRIu32 " bytes",
                               count, function->parameter_bytes.value));
    const char **types = signature_types(subject, function->symbol, count, explanation->arena);
    const struct debug_parameter *debug = debug_parameters_read(
        subject, shared_owner_name(explanation), &debug_count, explanation->arena);
    if (debug_count != count)
        debug = NULL;
    const struct program_parameter **parameters = by_ordinal(function, explanation->arena);
    for (uint32_t i = 0; i < count && i < ORDINALS; i++) {
        const struct program_parameter *parameter = parameters[i];
        const char *type = types ? types[i] : debug ? debug[i].type : NULL;
        if (parameter)
            put_parameter(explanation, &part->rows, parameter, type, debug ? debug[i].name : NULL);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Barriers, local memory, textures, variables                                                    */

static const char *space_of(const struct elf_view *view, const struct elf_symbol *symbol)
{
    static const char *const TEXTURES[] = {"texture", "sampler", "surface"};
    if (symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE)
        return TEXTURES[symbol->type - STT_CUDA_TEXTURE];
    if (symbol->section >= view->section_count || symbol->section == SHN_UNDEF)
        return "undefined";
    const char *name = view->sections[symbol->section].name;
    if (section_name_constant_bank(name) >= 0)
        return "constant";
    return !strncmp(name, ".nv.global", strlen(".nv.global")) ? "global" : "other";
}

static bool is_variable(const struct elf_symbol *symbol)
{
    return symbol->type == STT_OBJECT || symbol->type >= STT_CUDA_TEXTURE;
}

static void put_variable(struct explanation *explanation, struct listing *rows, uint32_t index,
                         uint32_t user)
{
    const struct subject *subject = explanation->program->subject;
    struct elf_symbol symbol = elf_view_symbol(&subject->view, VIEW_NATIVE, index);
    listing_add_row(rows, 1);
    put_text(rows, "space", space_of(&subject->view, &symbol));
    put_number(rows, "size", symbol.size);
    put_text(rows, "variable", symbol_label(subject, VIEW_NATIVE, index));
    put_text(rows, "used_by", explanation->program->functions[user].label);
}

static void put_variables(struct explanation *explanation, struct listing *rows)
{
    const struct elf_view *view = &explanation->program->subject->view;
    uint32_t *users =
        references_read(explanation->program, &explanation->reach, explanation->arena);
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        bool is_shared = (symbol.other & STO_CUDA_SPACE) == STO_CUDA_SHARED ||
                         (symbol.other & STO_CUDA_SPACE) == STO_CUDA_RESERVED_SHARED;
        if (users[i] != NO_FUNCTION && is_variable(&symbol) && !is_shared)
            put_variable(explanation, rows, i, users[i]);
    }
}

void explain_other_resources(struct explanation *explanation)
{
    const struct program_function *function = explanation->function;
    struct part *part = parts_add(&explanation->parts, "other", "Barriers, local memory, code");
    part_say(&explanation->parts, part,
             "%" PRIu32 " barriers, %" PRIu64 " bytes of local memory besides the stack, %" PRIu64
             " bytes of code",
             function->barriers.value, function->local, function->code_size);
    struct part *variables = parts_add(&explanation->parts, "variables",
                                       "Variables and textures that its code and callees refer to");
    if (explains_executable(explanation))
        part_say(&explanation->parts, variables,
                 "a linked file has references to global memory, not to constants");
    put_variables(explanation, &variables->rows);
}
