/* Barriers in memory that kernels need; see mbarriers.h. Part of pass_properties.
 *
 * nvlink adds the counts of functions in the order in which their records were read. The order
 * matters only if a sum needs more than 16 bits. Such a sum wraps around, unless it is exactly
 * 0xffff at some point: from then on it does not change any more. */
#include "link/resources/mbarriers.h"

#include <stdlib.h>

#include "base/arena.h"
#include "link/model/kernel_set.h"
#include "link/model/symbols.h"
#include "link/resources/inherit_lists.h"
#include "link/resources/inherited_needs.h"
#include "link/resources/reach_sums.h"

struct mbarriers {
    link_context *link;
    uint32_t *sums;                            /* by function index */
    GROWING_ARRAY(struct function *, sources); /* kept functions with barriers, in reading order */
};

static const struct inherited *own_mbarriers(const struct function *function)
{
    return function_inherited(function, INHERITED_MBARRIERS);
}

/* Starts the sum of each kernel with the kernel's own count. */
static void start_with_own_sum(struct mbarriers *mbarriers)
{
    const link_context *link = mbarriers->link;
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        bool has_any = function->kept && function->inherited_kinds;
        mbarriers->sums[i] =
            has_any ? inherited_own_value(function, own_mbarriers(function), false) : 0;
    }
}

static int mbarriers_by_sequence(const void *a, const void *b)
{
    uint32_t first = own_mbarriers(*(struct function *const *)a)->sequence;
    uint32_t second = own_mbarriers(*(struct function *const *)b)->sequence;
    return first < second ? -1 : first > second;
}

static void find_sources(struct mbarriers *mbarriers)
{
    link_context *link = mbarriers->link;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && own_mbarriers(link->functions[i])->total)
            *ARENA_APPEND(&link->arena, mbarriers, sources) = link->functions[i];
    if (mbarriers->sources_count)
        qsort(mbarriers->sources, mbarriers->sources_count, sizeof *mbarriers->sources,
              mbarriers_by_sequence);
}

/* Returns the kernel of a link with one kernel; NULL if the kernel is undefined (see gc.c) and so
 * has no records. */
static struct function *only_kernel(const link_context *link)
{
    struct function *kernel = NULL;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel)
            kernel = link->functions[i];
    return kernel;
}

/* Adds the counts of all functions in reading order. The sum starts at 0, and the kernel's own
 * count is added in its turn (observed with sums that reach 0xffff). */
static void sum_everything(struct mbarriers *mbarriers)
{
    const struct function *kernel = only_kernel(mbarriers->link);
    for (size_t i = 0; kernel && i < mbarriers->sources_count; i++) {
        uint32_t *sum = &mbarriers->sums[kernel->index];
        *sum = mbarriers_add(*sum, own_mbarriers(mbarriers->sources[i])->total);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* In reading order */

/* Adds a function's count to the sums of the kernels that reach it. If the function is treated as a
 * kernel because it has the name of a system function, the sum that it has at this time is added in
 * place of its count (observed). */
static void propagate(struct mbarriers *mbarriers, const struct kernel_sets *sets,
                      const struct function *source)
{
    bool is_system_kernel = source->kernel && source->is_system;
    uint32_t value =
        is_system_kernel ? mbarriers->sums[source->index] : own_mbarriers(source)->total;
    EACH_KERNEL(id, sets->set[source->index])
    {
        uint32_t *sum = &mbarriers->sums[sets->kernels[id]->index];
        if (sets->kernels[id] != source)
            *sum = mbarriers_add(*sum, value);
    }
}

static void sum_in_order(struct mbarriers *mbarriers)
{
    link_context *link = mbarriers->link;
    start_with_own_sum(mbarriers);
    struct kernel_sets sets;
    bool *interesting = ARENA_ARRAY(&link->arena, bool, link->functions_count);
    for (size_t i = 0; i < mbarriers->sources_count; i++)
        interesting[mbarriers->sources[i]->index] = true;
    kernel_sets_find(link, interesting, &sets);
    for (size_t i = 0; i < mbarriers->sources_count; i++)
        if (sets.set[mbarriers->sources[i]->index])
            propagate(mbarriers, &sets, mbarriers->sources[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* In any order                                                                                  */

/* Each count is turned into a weight, so that one sum of weights holds two results: the low 40 bits
 * are the sum of the known counts, and the high 24 bits are the number of unknown counts. With up
 * to MOST_SOURCES functions neither part overflows. With more functions, the counts are added in
 * order. */
static const uint64_t UNKNOWN_WEIGHT = UINT64_C(1) << 40;
enum { UNKNOWN_COUNT = 0xffff, MOST_SOURCES = 1 << 23 };

static uint64_t weight_of(uint32_t count)
{
    return count == UNKNOWN_COUNT ? UNKNOWN_WEIGHT : count;
}

static bool order_may_matter(const struct mbarriers *mbarriers)
{
    const link_context *link = mbarriers->link;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel && link->functions[i]->is_system)
            return true;
    return mbarriers->sources_count > MOST_SOURCES;
}

static uint64_t *sum_weights(const struct mbarriers *mbarriers)
{
    link_context *link = mbarriers->link;
    uint64_t *weights = ARENA_ARRAY(&link->arena, uint64_t, link->functions_count);
    for (size_t i = 0; i < mbarriers->sources_count; i++) {
        const struct function *source = mbarriers->sources[i];
        weights[source->index] = weight_of(own_mbarriers(source)->total);
    }
    return reach_sums(link, weights);
}

/* Sums the counts without regard to their order. Returns false if a sum wraps around, because then
 * the order matters. A kernel can have two different counts: one that it adds to the sums of its
 * callers (`total`), and one with which its own sum starts. */
static bool sum_in_any_order(struct mbarriers *mbarriers)
{
    const link_context *link = mbarriers->link;
    const uint64_t *reached = sum_weights(mbarriers);
    start_with_own_sum(mbarriers);
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *kernel = link->functions[i];
        if (!kernel->kernel)
            continue;
        uint64_t sum = reached[link->callgraph.component[i]] + weight_of(mbarriers->sums[i]) -
                       weight_of(own_mbarriers(kernel)->total);
        if (sum > UNKNOWN_COUNT && sum < UNKNOWN_WEIGHT)
            return false;
        mbarriers->sums[i] = sum < UNKNOWN_COUNT ? (uint32_t)sum : UNKNOWN_COUNT;
    }
    return true;
}

uint32_t *mbarriers_sum(link_context *link, bool single)
{
    struct mbarriers mbarriers = {.link = link};
    mbarriers.sums = ARENA_ARRAY(&link->arena, uint32_t, link->functions_count);
    find_sources(&mbarriers);
    if (single)
        sum_everything(&mbarriers);
    else if (!mbarriers.sources_count) /* a kernel can have a count even if the sum of its records
                                          wraps to 0 */
        start_with_own_sum(&mbarriers);
    else if (order_may_matter(&mbarriers) || !sum_in_any_order(&mbarriers))
        sum_in_order(&mbarriers);
    return mbarriers.sums;
}
