/* Decides which kernels cache their loads; see caching.h.
 *
 * Part of pass_properties. A request is a LOAD_CACHE_REQUEST record of an input. It names a
 * function or variable, and asks either for or against caching of the loads. A kernel gets an
 * EXPLICIT_CACHING record if all requests that name functions which it reaches ask for caching.
 * nvlink warns if these requests differ. The text of the warning and the rules were observed with
 * patched objects of sm_75 to sm_90a: none of the compilers that were tried writes such records. */
#include "link/resources/caching.h"

#include "base/arena.h"
#include "base/diagnostic.h"
#include "format/info_record.h"
#include "link/merge/merge_state.h"
#include "link/model/callgraph.h"
#include "link/model/kernel_set.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"

struct preference {
    const struct cache_request *first; /* the last request that names the kernel; if there is none,
                                          the first that names a function which it reaches */
    uint32_t own_records; /* number of requests that name the kernel and ask for caching */
    bool own_differ;      /* of the requests that name the kernel, some ask for and some against
                             caching */
    bool in_conflict;     /* see join_request */
};

struct caching {
    link_context *link;
    struct preference *preferences; /* by function index; only kernels have one */
    struct kernel_sets sets;
    uint32_t (*joined)[2]; /* by function index: number of requests that name the function and that
                              join_kernels has counted, against ([0]) and for caching ([1]) */
    bool single;           /* the link has exactly one kernel */
    bool everywhere;       /* `single` is set, and is_wanted_somewhere is true */
};

static void note_own(struct caching *caching, const struct cache_request *request)
{
    const struct function *function = request->symbol->function;
    if (!function || !function->kernel)
        return;
    struct preference *preference = &caching->preferences[function->index];
    preference->own_differ |= preference->first && preference->first->wanted != request->wanted;
    preference->first = request;
    preference->own_records += request->wanted;
}

/* Compares a request that names a function with the preference of a kernel that reaches this
 * function, and warns about a conflict. If a request names the kernel itself, each request that
 * differs from it is a conflict. Otherwise only the first request that differs is a conflict. */
static void join_request(struct caching *caching, const struct function *kernel,
                         const struct cache_request *request)
{
    link_context *link = caching->link;
    struct preference *preference = &caching->preferences[kernel->index];
    if (!preference->first)
        preference->first = request;
    const struct cache_request *first = preference->first;
    bool own = first->symbol->function == kernel;
    if (first->wanted == request->wanted || (preference->in_conflict && !own))
        return;
    preference->in_conflict = true;
    const char *name = symbol_name(kernel->symbol);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_CACHE_CONFLICT, kernel->symbol->object->name,
                      name, symbol_name(first->symbol), symbol_name(request->symbol), name);
}

/* Compares a request that names a function with the preferences of the kernels that reach the
 * function.
 *
 * If the function is a kernel, the request is compared with the kernel's own preference only if the
 * kernel is in a cycle of calls (observed in 500 links in which kernels reach kernels). Only a
 * damaged object has more than MOST_EQUAL equal requests for one function. Further requests are
 * ignored, because they could only repeat warnings. */
static void join_kernels(struct caching *caching, const struct cache_request *request)
{
    const struct function *function = request->symbol->function;
    const struct kernel_set *set = function ? caching->sets.set[function->index] : NULL;
    const struct callgraph *graph = &caching->link->callgraph;
    enum { MOST_EQUAL = 100 };
    if (!set || caching->joined[function->index][request->wanted]++ >= MOST_EQUAL)
        return;
    EACH_KERNEL_BACKWARDS(id, set)
    {
        if (caching->sets.kernels[id] != function ||
            graph->cyclic[graph->component[function->index]])
            join_request(caching, caching->sets.kernels[id], request);
    }
}

/* True if requests ask for caching of a kept device function or of a variable. For a function, only
 * the last request counts; for a variable, one request for caching is enough. */
static bool is_wanted_somewhere(link_context *link)
{
    bool any = false;
    bool *wanted = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < link->merge->cache_requests_count; i++) {
        const struct cache_request *request = &link->merge->cache_requests[i];
        const struct function *function = request->symbol->function;
        if (function && function->kept && !function->kernel)
            wanted[function->index] = request->wanted;
        any |= !function && request->wanted;
    }
    for (size_t i = 0; i < link->functions_count; i++)
        any |= wanted[i];
    return any;
}

static void find_request_sets(struct caching *caching)
{
    link_context *link = caching->link;
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < link->merge->cache_requests_count; i++)
        if (link->merge->cache_requests[i].symbol->function)
            interesting[link->merge->cache_requests[i].symbol->function->index] = true;
    kernel_sets_find(link, interesting, &caching->sets);
}

struct caching *caching_prepare(link_context *link, bool single)
{
    if (!link->merge->cache_requests_count)
        return NULL;
    struct caching *caching = ARENA_NEW(&link->arena, struct caching);
    caching->link = link;
    caching->single = single;
    caching->everywhere = single && is_wanted_somewhere(link);
    caching->preferences = ARENA_ARRAY(&link->arena, struct preference, link->functions_count);
    caching->joined =
        arena_alloc_array(&link->arena, link->functions_count, sizeof *caching->joined);
    find_request_sets(caching);
    for (size_t i = 0; i < link->merge->cache_requests_count; i++)
        note_own(caching, &link->merge->cache_requests[i]);
    for (size_t i = 0; i < link->merge->cache_requests_count; i++)
        join_kernels(caching, &link->merge->cache_requests[i]);
    return caching;
}

/* Returns how many EXPLICIT_CACHING records the kernel gets (observed).
 *
 * If requests name the kernel, the last of them decides. If it asks for caching, the kernel gets
 * one record for each request for caching that names the kernel. In a link with one kernel, it gets
 * only one record, unless two requests differ.
 *
 * If no request names the kernel, the requests that name functions which it reaches decide. The
 * kernel gets one record if all of them ask for caching, or if there are none and `everywhere` is
 * set. */
static uint32_t record_count(const struct caching *caching, const struct function *kernel)
{
    const struct preference *preference = &caching->preferences[kernel->index];
    const struct cache_request *first = preference->first;
    if (first && first->symbol->function == kernel) {
        bool each = preference->own_differ || preference->in_conflict || !caching->single;
        return !first->wanted ? 0 : each ? preference->own_records : 1;
    }
    if (preference->in_conflict)
        return 0;
    return first ? first->wanted : caching->everywhere;
}

void caching_complete(struct caching *caching, struct function *kernel)
{
    if (!caching)
        return;
    link_context *link = caching->link;
    for (uint32_t count = record_count(caching, kernel); count > 0; count--)
        record_append(
            link, kernel->info,
            (struct output_record){.format = INFO_FORMAT_NONE, .code = EIATTR_EXPLICIT_CACHING});
}
