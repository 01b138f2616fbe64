/* Queries about the output in the public interface; documented in warpld.h. */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/elf.h"
#include "link/caller_structure.h"
#include "link/handle.h"
#include "link/inspect/needs.h"
#include "link/inspect/symbol_kind.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/resources/kernel_usage.h"
#include "link/write/write_output.h"
#include "warpld.h"

static void add_to_listed(link_context *link, const struct symbol *symbol)
{
    if (symbol->output_index)
        *ARENA_APPEND(&link->arena, handle_of(link), listed_symbols) = symbol;
}

/* True also for a kernel that is kept because device code launches it. */
static bool is_launchable(const struct function *function)
{
    return function->entry && function->kept && function->text && function->info &&
           !function->is_stub;
}

/* Symbols in the order of their indices: local ones come first. */
void handle_make_lists(link_context *link)
{
    if (handle_of(link)->has_lists)
        return;
    for (size_t i = 0; i < link->output.local_symbols_count; i++)
        add_to_listed(link, link->output.local_symbols[i]);
    for (size_t i = 0; i < link->output.globals_count; i++)
        add_to_listed(link, link->output.globals[i]);
    for (size_t i = 0; i < link->functions_count; i++)
        if (is_launchable(link->functions[i]))
            *ARENA_APPEND(&link->arena, handle_of(link), listed_kernels) = link->functions[i];
    handle_of(link)->has_lists = true;
}

static void describe_symbol(link_context *link, const struct symbol *symbol,
                            struct warpld_symbol *known)
{
    struct written_symbol written = written_symbol(link, symbol);
    *known = (struct warpld_symbol){
        .name = symbol_name(symbol),
        .section = written.section ? linked_name_text(link, written.section->name) : NULL,
        .input = symbol->linker_made || !symbol->object ? NULL : symbol->object->name,
        .address = written.value,
        .bytes = written.size,
        .index = symbol->output_index,
        .kind = symbol_kind(symbol),
        .is_local = written.binding == STB_LOCAL,
        .is_weak = written.binding == STB_WEAK,
        .is_defined = written.section != NULL,
    };
}

enum warpld_status warpld_get_symbol(struct warpld_link *link, size_t index,
                                     struct warpld_symbol *symbol)
{
    enum { SMALLEST = END_OF(struct warpld_symbol, is_defined) };
    if (!link || !is_caller_structure(symbol, SMALLEST, sizeof *symbol))
        return WARPLD_ERROR_ARGUMENT;
    if (!handle_has_plan(link))
        return WARPLD_END;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    handle_make_lists(link);
    if (index >= handle_of(link)->listed_symbols_count)
        return WARPLD_END;
    struct warpld_symbol known;
    describe_symbol(link, handle_of(link)->listed_symbols[index], &known);
    return fill_caller_structure(symbol, &known, sizeof known);
}

static void describe_kernel(link_context *link, const struct function *function,
                            struct warpld_kernel *known)
{
    const struct function *raiser = register_raiser(link, &handle_of(link)->needs, function);
    *known = (struct warpld_kernel){
        .name = symbol_name(function->symbol),
        .input = function->symbol->object->name,
        .registers = function->needed_registers,
        .barriers = function->needed_barriers,
        .stack_bytes = function->stack_size,
        .shared_bytes = kernel_shared_memory(link, function),
        .constant_bytes = kernel_own_constants(link, function),
        .local_bytes = kernel_local_memory(link, function),
        .parameter_bytes = kernel_parameter_size(function),
        .is_stack_known = function->stack_is_known,
        .own_registers = function->register_count,
        .registers_by = raiser ? symbol_name(raiser->symbol) : NULL,
        .registers_by_number = raiser ? raiser->index : UINT32_MAX,
        .function_number = function->index,
    };
}

enum warpld_status warpld_get_kernel(struct warpld_link *link, size_t index,
                                     struct warpld_kernel *kernel)
{
    enum { SMALLEST = END_OF(struct warpld_kernel, is_stack_known) };
    if (!link || !is_caller_structure(kernel, SMALLEST, sizeof *kernel))
        return WARPLD_ERROR_ARGUMENT;
    if (!handle_has_plan(link))
        return WARPLD_END;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    handle_make_lists(link);
    if (index >= handle_of(link)->listed_kernels_count)
        return WARPLD_END;
    struct warpld_kernel known;
    describe_kernel(link, handle_of(link)->listed_kernels[index], &known);
    return fill_caller_structure(kernel, &known, sizeof known);
}
