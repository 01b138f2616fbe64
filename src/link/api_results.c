/* Queries about the output in the public interface; documented in warpld.h. */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/prefetch.h"
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
#include "link/notes/code_origin.h"
#include "link/resources/kernel_usage.h"
#include "link/write/write_output.h"
#include "warpld.h"

/* Returns true if queries list the function as a kernel. Kernels that only device code launches are
 * listed, too. */
static bool is_launchable(const struct function *function)
{
    return function->entry && function->kept && function->text && function->info &&
           !function->is_stub;
}

static void append_listed_symbols(struct handle *handle, struct symbol *const *symbols,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (symbols[i]->output_index)
            handle->listed_symbols[handle->listed_symbols_count++] = symbols[i];
}

/* Lists the symbols of the output in the order of their indices: local symbols come first. */
static void make_list_of_symbols(link_context *link)
{
    struct handle *handle = handle_of(link);
    const struct output *output = &link->output;
    size_t most = output->local_symbols_count + output->globals_count;
    if (handle->listed_symbols)
        return;
    handle->listed_symbols = ARENA_ARRAY(&link->arena, const struct symbol *, most + 1);
    append_listed_symbols(handle, output->local_symbols, output->local_symbols_count);
    append_listed_symbols(handle, output->globals, output->globals_count);
}

void handle_list_kernels(link_context *link)
{
    struct handle *handle = handle_of(link);
    if (handle->listed_kernels)
        return;
    handle->listed_kernels =
        ARENA_ARRAY(&link->arena, const struct function *, link->functions_count + 1);
    for (size_t i = 0; i < link->functions_count; i++)
        if (is_launchable(link->functions[i]))
            handle->listed_kernels[handle->listed_kernels_count++] = link->functions[i];
}

static void describe_symbol(link_context *link, const struct symbol *symbol,
                            struct warpld_symbol *known)
{
    struct written_symbol written = written_symbol(link, symbol);
    *known = (struct warpld_symbol){
        .name = symbol_name(symbol),
        .section = written.section ? linked_name_text(link, written.section->name) : NULL,
        .input = symbol->linker_made || !symbol->object ? NULL : code_origin(link, symbol),
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
    make_list_of_symbols(link);
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
        .input = code_origin(link, function->symbol),
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

/* Prefetches the next kernels of the list. After a large link their structures are no longer in the
 * processor's cache, so reading one of them would take several cache misses. */
static PREFETCHES void prefetch_kernels(const struct handle *handle, size_t next)
{
    const size_t ahead = 4;
    const struct function **kernels = handle->listed_kernels + next;
    if (handle->listed_kernels_count - next <= 4 * ahead)
        return;
    __builtin_prefetch(kernels[4 * ahead]);
    __builtin_prefetch(&kernels[4 * ahead]->needed_registers);
    __builtin_prefetch(kernels[3 * ahead]->symbol);
    __builtin_prefetch(kernels[3 * ahead]->info);
    __builtin_prefetch(kernels[3 * ahead]->shared);
    __builtin_prefetch(kernels[3 * ahead]->parameters);
    __builtin_prefetch(kernels[2 * ahead]->symbol->name);
    if (kernels[2 * ahead]->info)
        __builtin_prefetch(kernels[2 * ahead]->info->records);
    __builtin_prefetch(symbol_name(kernels[ahead]->symbol));
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
    handle_list_kernels(link);
    if (index >= handle_of(link)->listed_kernels_count)
        return WARPLD_END;
    struct warpld_kernel known;
    prefetch_kernels(handle_of(link), index);
    describe_kernel(link, handle_of(link)->listed_kernels[index], &known);
    return fill_caller_structure(kernel, &known, sizeof known);
}
