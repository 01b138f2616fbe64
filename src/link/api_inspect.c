/* Queries about what is in the output and why, in the public interface; documented in warpld.h. */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/elf.h"
#include "link/caller_structure.h"
#include "link/handle.h"
#include "link/inspect/mentions.h"
#include "link/inspect/needs.h"
#include "link/inspect/pieces.h"
#include "link/inspect/removed.h"
#include "link/inspect/why.h"
#include "link/model/callgraph.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"
#include "link/resolve/report_callgraph.h"
#include "warpld.h"

/* Begins a query that may allocate. The query has already checked the caller's structure. The macro
 * returns from the query if the link has no plan, and if memory runs out later in the query. */
#define BEGIN_QUERY(link)                                                                          \
    if (!handle_has_plan(link))                                                                    \
        return WARPLD_END;                                                                         \
    if (setjmp(handle_of(link)->out_of_memory))                                                    \
    return handle_report_exhausted(link)

enum warpld_status warpld_get_piece(struct warpld_link *link, size_t index,
                                    struct warpld_piece *piece)
{
    enum { SMALLEST = END_OF(struct warpld_piece, shares_bytes) };
    if (!link || !is_caller_structure(piece, SMALLEST, sizeof *piece))
        return WARPLD_ERROR_ARGUMENT;
    const struct warpld_piece *found = known_piece(&handle_of(link)->pieces, index);
    if (found)
        return fill_caller_structure(piece, found, sizeof *found);
    BEGIN_QUERY(link);
    found = find_piece(link, &handle_of(link)->pieces, index);
    return found ? fill_caller_structure(piece, found, sizeof *found) : WARPLD_END;
}

enum warpld_status warpld_get_removed(struct warpld_link *link, size_t index,
                                      struct warpld_removed *removed)
{
    enum { SMALLEST = END_OF(struct warpld_removed, bytes) };
    if (!link || !is_caller_structure(removed, SMALLEST, sizeof *removed))
        return WARPLD_ERROR_ARGUMENT;
    BEGIN_QUERY(link);
    struct warpld_removed known;
    if (!describe_removed(link, &handle_of(link)->removed, index, &known))
        return WARPLD_END;
    return fill_caller_structure(removed, &known, sizeof known);
}

enum warpld_status warpld_get_mention(struct warpld_link *link, size_t index,
                                      struct warpld_mention *mention)
{
    enum { SMALLEST = END_OF(struct warpld_mention, bytes) };
    if (!link || !is_caller_structure(mention, SMALLEST, sizeof *mention))
        return WARPLD_ERROR_ARGUMENT;
    if (!handle_has_plan(link))
        return WARPLD_END;
    struct warpld_mention known;
    if (!describe_mention(link, &handle_of(link)->mentions, index, &known))
        return WARPLD_END;
    return fill_caller_structure(mention, &known, sizeof known);
}

static uint64_t code_size(const struct function *function)
{
    bool has_code =
        function->kept && function->text && !function->alias_of && !function->text->dropped;
    return has_code ? function->text->size : 0;
}

enum warpld_status warpld_get_function(struct warpld_link *link, size_t index,
                                       struct warpld_function *function)
{
    enum { SMALLEST = END_OF(struct warpld_function, code_bytes) };
    if (!link || !is_caller_structure(function, SMALLEST, sizeof *function))
        return WARPLD_ERROR_ARGUMENT;
    if (!handle_has_plan(link) || index >= link->functions_count)
        return WARPLD_END;
    if (setjmp(handle_of(link)->out_of_memory))
        return handle_report_exhausted(link);
    const struct function *found = link->functions[index];
    const struct warpld_function known = {
        .name = symbol_name(found->symbol),
        .input = code_origin(link, found->symbol),
        .is_kernel = found->entry,
        .is_kept = found->kept,
        .is_defined = found->symbol->defined,
        .is_address_taken = found->address_taken,
        .is_local = found->symbol->binding == STB_LOCAL,
        .registers = found->register_count,
        .frame_bytes = found->frame_size,
        .code_bytes = code_size(found),
    };
    return fill_caller_structure(function, &known, sizeof known);
}

enum warpld_status warpld_get_call_graph(struct warpld_link *link, struct warpld_call_graph *graph)
{
    enum { SMALLEST = END_OF(struct warpld_call_graph, callees) };
    if (!link || !is_caller_structure(graph, SMALLEST, sizeof *graph))
        return WARPLD_ERROR_ARGUMENT;
    BEGIN_QUERY(link);
    struct warpld_call_graph known = describe_callgraph(link);
    return fill_caller_structure(graph, &known, sizeof known);
}

enum warpld_status warpld_get_step(struct warpld_link *link, const char *symbol, size_t index,
                                   struct warpld_step *step)
{
    enum { SMALLEST = END_OF(struct warpld_step, why) };
    if (!link || !symbol || !is_caller_structure(step, SMALLEST, sizeof *step))
        return WARPLD_ERROR_ARGUMENT;
    BEGIN_QUERY(link);
    struct warpld_step known;
    if (!describe_step(link, &handle_of(link)->kept_chain, symbol, index, &known))
        return WARPLD_END;
    return fill_caller_structure(step, &known, sizeof known);
}

enum warpld_status warpld_get_need(struct warpld_link *link, size_t kernel,
                                   enum warpld_resource resource, size_t index,
                                   struct warpld_need *need)
{
    enum { SMALLEST = END_OF(struct warpld_need, is_recursive) };
    if (!link || (unsigned)resource > WARPLD_RESOURCE_SHARED ||
        !is_caller_structure(need, SMALLEST, sizeof *need))
        return WARPLD_ERROR_ARGUMENT;
    BEGIN_QUERY(link);
    handle_list_kernels(link);
    if (kernel >= handle_of(link)->listed_kernels_count)
        return WARPLD_END;
    struct warpld_need known;
    if (!describe_need(link, &handle_of(link)->needs, &handle_of(link)->pieces,
                       handle_of(link)->listed_kernels[kernel], resource, index, &known))
        return WARPLD_END;
    return fill_caller_structure(need, &known, sizeof known);
}
