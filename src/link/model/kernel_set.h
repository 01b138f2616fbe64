/* Sets of kernels, by number, and which kernels reach which functions.
 *
 * A set is a bit set that stores only a window of its words. Most functions are reached by few
 * kernels, which usually are in one input and have adjacent numbers. Full bit sets would take
 * memory and time quadratic in the size of the program once there are thousands of kernels.
 *
 *      word number      0     1     2     3     4     5     6
 *      full bit set     0     0     0     a     b     0     0
 *      stored                             words[0], [1]           first = 3, count = 2
 *
 *      kernel k is bit k % 64 of word k / 64 */
#ifndef WARPLD_LINK_MODEL_KERNEL_SET_H
#define WARPLD_LINK_MODEL_KERNEL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct function;
struct warpld_link;

/* All zero is the empty set. */
struct kernel_set {
    uint64_t *words;
    uint32_t first; /* number of words[0] in the full bit set */
    uint32_t count; /* number of words */
};

#define NO_KERNEL UINT32_MAX

/* kernel_set_next returns the lowest member that is at least `from`, kernel_set_previous the
 * highest member below `limit`. They return NO_KERNEL if there is none. */
uint32_t kernel_set_next(const struct kernel_set *set, uint32_t from);
uint32_t kernel_set_previous(const struct kernel_set *set, uint32_t limit);

/* Returns the lowest member that is at least `from` and not in `others`; NO_KERNEL if there is
 * none. */
uint32_t kernel_set_next_without(const struct kernel_set *set, const struct kernel_set *others,
                                 uint32_t from);

/* Returns the highest member of both sets that is below `limit`; NO_KERNEL if there is none. */
uint32_t kernel_set_previous_of_both(const struct kernel_set *a, const struct kernel_set *b,
                                     uint32_t limit);

/* Returns the intersection of both sets. `words` must have the capacity for all words of `a`, and
 * may be the words of `a`. */
struct kernel_set kernel_sets_common(uint64_t *words, const struct kernel_set *a,
                                     const struct kernel_set *b);

/* Returns the only member; NO_KERNEL if there are none or several. */
uint32_t kernel_set_only(const struct kernel_set *set);

/* Returns the lowest number that is at least `from` and in none of the sets. */
uint32_t kernel_sets_next_in_none(const struct kernel_set *const *sets, size_t count,
                                  uint32_t from);

bool kernel_set_has(const struct kernel_set *set, uint32_t id);
bool kernel_sets_meet(const struct kernel_set *a, const struct kernel_set *b);

void kernel_set_add(struct arena *arena, struct kernel_set *set, uint32_t id);
void kernel_set_remove(struct kernel_set *set, uint32_t id);
void kernel_set_unite(struct arena *arena, struct kernel_set *set, const struct kernel_set *other);

#define EACH_KERNEL(id, set)                                                                       \
    for (uint32_t id = kernel_set_next((set), 0); id != NO_KERNEL;                                 \
         id = kernel_set_next((set), id + 1))

#define EACH_KERNEL_BACKWARDS(id, set)                                                             \
    for (uint32_t id = kernel_set_previous((set), NO_KERNEL); id != NO_KERNEL;                     \
         id = kernel_set_previous((set), id))

/* The union of sets that are added one by one. As long as only one set was added, the union refers
 * to that set. So thousands of functions that one kernel reaches, and their variables, share one
 * set. All zero is the empty union. */
struct kernel_union {
    const struct kernel_set *set; /* NULL: no set was added */
    struct kernel_set *own;       /* its own copy, made when a second set is added */
};

/* Adds a set, which must not change afterwards. */
void kernel_union_add(struct arena *arena, struct kernel_union *sum, const struct kernel_set *set);
void kernel_union_add_kernel(struct arena *arena, struct kernel_union *sum, uint32_t id);

/* Returns the union; never NULL, since an empty union is an empty set. */
const struct kernel_set *kernel_union_set(const struct kernel_union *sum);

/* The kernels that already have an item, for example a symbol in their EXTERNS records. A damaged
 * record can repeat an item thousands of times, so kernel_holders_add remembers the set that it
 * added last, and returns at once if it is given that set again. */
struct kernel_holders {
    struct kernel_set kernels;
    const struct kernel_set *added; /* the set added last */
};

/* Adds all members of the set except the kernel `excluded` (NO_KERNEL: no exception). The set must
 * not change afterwards. */
void kernel_holders_add(struct arena *arena, struct kernel_holders *holders,
                        const struct kernel_set *set, uint32_t excluded);

#define EACH_KERNEL_THAT_LACKS(id, set, holders)                                                   \
    for (uint32_t id = (holders)->added == (set)                                                   \
                           ? NO_KERNEL                                                             \
                           : kernel_set_next_without((set), &(holders)->kernels, 0);               \
         id != NO_KERNEL; id = kernel_set_next_without((set), &(holders)->kernels, id + 1))

/* For each function of interest, the kept kernels that reach it. The caller of kernel_sets_find
 * says which functions are of interest. A demoted entry is an entry that is kept only as a device
 * function; it counts as a kernel that reaches only itself. */
struct kernel_sets {
    /* The kernels that reach a function of interest, in creation order. The number of a kernel is
     * its index in this array. */
    struct function **kernels;
    uint32_t kernel_count;
    uint32_t *kernel_id;           /* by function index; NO_KERNEL if not in `kernels` */
    const struct kernel_set **set; /* by node; NULL for nodes that reach no function of interest */
    struct kernel_union **by_component; /* by component; NULL until the component has a set */
};

/* Returns the kernel's number; NO_KERNEL for NULL and for kernels that reach no function of
 * interest. */
uint32_t kernel_sets_number(const struct kernel_sets *sets, const struct function *kernel);

/* Computes the sets. interesting[i] says whether function i is of interest. The time is linear in
 * the part of the call graph that leads to interesting functions. Uniting sets adds time that grows
 * with the number of their words. */
void kernel_sets_find(struct warpld_link *link, const bool *interesting, struct kernel_sets *sets);

/* Removes all other kernels from the set of each kernel that is an interesting function. The sets
 * of system functions are not changed. This is needed for properties that a kernel does not pass on
 * to kernels that call it. */
void kernel_sets_isolate_kernels(struct warpld_link *link, const bool *interesting,
                                 struct kernel_sets *sets);

#endif
