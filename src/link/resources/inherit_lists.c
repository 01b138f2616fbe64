/* Builds the lists that kernels inherit from all functions that they reach; see inherit_lists.h.
 *
 * Part of pass_properties. There are lists of system functions (EXTERNS) and lists of entry
 * fragments. */
#include "link/resources/inherit_lists.h"

#include <stdlib.h>

#include "base/arena.h"
#include "link/model/callgraph.h"
#include "link/model/kernel_set.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"
#include "link/resources/fragments.h"
#include "link/resources/inherited_needs.h"
#include "link/resources/inherited_values.h"
#include "link/resources/resources_state.h"

static struct kernel_holders *holders_of_extern(struct inheritance *inheritance,
                                                struct symbol *symbol)
{
    link_context *link = inheritance->link;
    if (!symbol->extern_number) {
        (void)ARENA_APPEND(&link->arena, inheritance, holders);
        symbol->extern_number = (uint32_t)inheritance->holders_count;
    }
    return &inheritance->holders[symbol->extern_number - 1];
}

static struct extern_list *externs_of_kernel(const struct inheritance *inheritance, uint32_t id)
{
    return &inheritance->externs[inheritance->sets.kernels[id]->index];
}

static void append_extern(struct inheritance *inheritance, uint32_t id, struct symbol *symbol)
{
    link_context *link = inheritance->link;
    struct extern_list *list = externs_of_kernel(inheritance, id);
    if (list->symbols_count <= MOST_EXTERNS)
        *ARENA_APPEND(&link->arena, list, symbols) = symbol;
}

/* Returns the kernel whose list must not receive the records of the function, or NULL.
 *
 * If the function is a kernel, this is the function itself, because its list already starts with
 * its own last record. But if this kernel is in a cycle of calls, its list receives its other
 * records, too, so the result is NULL (observed with kernels that call kernels). */
static const struct function *kernel_left_out(const struct inheritance *inheritance,
                                              const struct function *source)
{
    const struct callgraph *graph = &inheritance->link->callgraph;
    bool is_left_out = source->kernel && !source->is_system && !inheritance->single &&
                       !graph->cyclic[graph->component[source->index]];
    return is_left_out ? source : NULL;
}

/* Appends the symbol to the list of each kernel of the set whose list does not have it. */
static void add_extern(struct inheritance *inheritance, const struct kernel_set *set,
                       struct symbol *symbol, const struct function *left_out)
{
    const struct kernel_holders *holders = holders_of_extern(inheritance, symbol);
    EACH_KERNEL_THAT_LACKS(id, set, holders)
    {
        if (inheritance->sets.kernels[id] != left_out)
            append_extern(inheritance, id, symbol);
    }
}

static void mark_extern(struct inheritance *inheritance, const struct kernel_set *set,
                        struct symbol *symbol, const struct function *left_out)
{
    kernel_holders_add(&inheritance->link->arena, holders_of_extern(inheritance, symbol), set,
                       kernel_sets_number(&inheritance->sets, left_out));
}

/* Adds the symbols of a record to the lists of all kernels of the set. Skips symbols that a list
 * already has.
 *
 * nvlink adds a record's symbols after it has compared all of them with the list. So a new symbol
 * that a record names twice is added twice, but only once in a link with one kernel (observed). The
 * time is linear in the size of the set and of the result. */
static void add_externs(struct inheritance *inheritance, const struct kernel_set *set,
                        const struct extern_record *record, const struct function *left_out)
{
    for (uint32_t i = 0; i < record->count; i++) {
        add_extern(inheritance, set, record->symbols[i], left_out);
        if (inheritance->single)
            mark_extern(inheritance, set, record->symbols[i], left_out);
    }
    for (uint32_t i = 0; i < record->count; i++)
        mark_extern(inheritance, set, record->symbols[i], left_out);
}

/* Starts each kernel's list with a copy of the kernel's last record, which may name a symbol
 * twice. */
static void start_with_own_externs(struct inheritance *inheritance)
{
    const struct kernel_sets *sets = &inheritance->sets;
    for (uint32_t id = 0; id < sets->kernel_count; id++) {
        const struct output_record *own = inherited_record(sets->kernels[id], INHERITED_EXTERNS);
        for (uint32_t i = 0; own && i < own->value / 4u; i++) {
            append_extern(inheritance, id, own->symbols[i]);
            kernel_set_add(&inheritance->link->arena,
                           &holders_of_extern(inheritance, own->symbols[i])->kernels, id);
        }
    }
}

static int inherited_by_sequence(const void *a, const void *b, enum inherited_kind kind)
{
    const struct function *first = *(struct function *const *)a;
    const struct function *second = *(struct function *const *)b;
    uint32_t x = function_inherited(first, kind)->sequence;
    uint32_t y = function_inherited(second, kind)->sequence;
    return x < y ? -1 : x > y;
}

static int by_externs_sequence(const void *a, const void *b)
{
    return inherited_by_sequence(a, b, INHERITED_EXTERNS);
}

static int by_fragments_sequence(const void *a, const void *b)
{
    return inherited_by_sequence(a, b, INHERITED_FRAGMENTS);
}

static bool is_source(const struct function *function)
{
    const struct rare_function *rare = function_rare(function);
    return function->kept && (rare->externs_count || rare->fragments_count);
}

/* Returns the kept functions that have externs or fragments, in the order in which their externs
 * were read. */
static struct function **sources(link_context *link, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < link->functions_count; i++)
        *count += is_source(link->functions[i]);
    struct function **functions = ARENA_ARRAY(&link->arena, struct function *, *count);
    size_t found = 0;
    for (size_t i = 0; found < *count; i++)
        if (is_source(link->functions[i]))
            functions[found++] = link->functions[i];
    qsort(functions, *count, sizeof *functions, by_externs_sequence);
    return functions;
}

/* Returns the functions of inheritance->sources, in the order in which their fragments were
 * read. */
static struct function **fragment_sources(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    struct function **sources =
        ARENA_ARRAY(&link->arena, struct function *, inheritance->sources_count);
    for (size_t i = 0; i < inheritance->sources_count; i++)
        sources[i] = inheritance->sources[i];
    if (inheritance->sources_count)
        qsort(sources, inheritance->sources_count, sizeof *sources, by_fragments_sequence);
    return sources;
}

static void find_extern_sets(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < inheritance->sources_count; i++)
        interesting[inheritance->sources[i]->index] = true;
    kernel_sets_find(link, interesting, &inheritance->sets);
}

/* Makes `only_kernel`, the set of kernels that inherit in a link with one kernel. This kernel
 * inherits from every function, even if it does not reach the function. If the kernel is undefined
 * (see gc.c), `sets` has no kernel, and no kernel inherits anything. */
static void make_single_set(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    struct kernel_sets *sets = &inheritance->sets;
    sets->kernels = ARENA_ARRAY(&link->arena, struct function *, 1);
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel) {
            sets->kernels[0] = link->functions[i];
            sets->kernel_count = 1;
        }
    kernel_set_add(&link->arena, &inheritance->only_kernel, 0);
}

static const struct kernel_set *receivers_of(const struct inheritance *inheritance,
                                             const struct function *source)
{
    if (!inheritance->single)
        return inheritance->sets.set[source->index];
    return inheritance->sets.kernel_count ? &inheritance->only_kernel : NULL;
}

static void propagate_externs(struct inheritance *inheritance)
{
    for (size_t i = 0; i < inheritance->sources_count; i++) {
        const struct function *source = inheritance->sources[i];
        const struct kernel_set *set = receivers_of(inheritance, source);
        const struct rare_function *rare = function_rare(source);
        for (size_t e = 0; set && e < rare->externs_count; e++)
            add_externs(inheritance, set, &rare->externs[e], kernel_left_out(inheritance, source));
    }
}

static void propagate_fragments(struct inheritance *inheritance, struct function *const *sources)
{
    for (size_t i = 0; i < inheritance->sources_count; i++) {
        const struct kernel_set *set = receivers_of(inheritance, sources[i]);
        if (set)
            fragments_propagate(inheritance->fragments, set, sources[i],
                                kernel_left_out(inheritance, sources[i]), inheritance->single);
    }
}

/* Builds the lists of fragments. Functions are visited in the order in which their fragments were
 * read. */
static void list_fragments(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    const struct kernel_sets *sets = &inheritance->sets;
    inheritance->fragments = fragments_prepare(link, sets);
    struct function **sources = fragment_sources(inheritance);
    for (uint32_t id = 0; !inheritance->single && id < sets->kernel_count; id++)
        fragments_start_with(inheritance->fragments, id);
    propagate_fragments(inheritance, sources);
}

void rebuild_extern_list(struct inheritance *inheritance, struct extern_list *list)
{
    list->symbols_count = 0;
    for (size_t i = 0; i < inheritance->holders_count; i++)
        inheritance->holders[i] = (struct kernel_holders){.added = NULL};
    propagate_externs(inheritance);
    if (link_follows(inheritance->link, RELEASE_LISTS_EXTERNS_FORWARD))
        return;
    for (size_t i = 0; i < list->symbols_count / 2; i++) {
        struct symbol *other = list->symbols[i];
        list->symbols[i] = list->symbols[list->symbols_count - 1 - i];
        list->symbols[list->symbols_count - 1 - i] = other;
    }
}

/* Collects the needs of all kept functions, which the kernel of a link with one kernel inherits. */
static void include_everything(struct inheritance *inheritance)
{
    const link_context *link = inheritance->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        struct inherited_needs own = inherited_of(link->functions[i], true);
        if (link->functions[i]->kept)
            inherited_include(&inheritance->everything, &own);
    }
}

/* Builds the lists and sums that need the whole set of functions that a kernel reaches. In a link
 * with one kernel, also collects the needs of all kept functions. */
struct inheritance *inheritance_prepare(link_context *link, struct caching *caching)
{
    struct inheritance *inheritance = ARENA_NEW(&link->arena, struct inheritance);
    inheritance->link = link;
    inheritance->failed = link->diagnostics.errors > link->resources->errors_before_needs;
    inheritance->single = link->resolve->live_entry_count == 1;
    inheritance->externs = ARENA_ARRAY(&link->arena, struct extern_list, link->functions_count);
    inheritance->mbarriers = inherited_mbarriers(link, inheritance->single);
    inheritance->reconfigurations = inherited_reconfigurations(link, inheritance->single);
    if (inheritance->single)
        include_everything(inheritance);
    inheritance->sources = sources(link, &inheritance->sources_count);
    if (inheritance->single)
        make_single_set(inheritance);
    else if (inheritance->sources_count)
        find_extern_sets(inheritance);
    list_fragments(inheritance);
    inheritance->caching = caching;
    if (!inheritance->single)
        start_with_own_externs(inheritance);
    propagate_externs(inheritance);
    return inheritance;
}
