/* Sets of kernels, by number, and which kernels reach which functions.
 *
 * A set is the bits of a window of words: most functions are reached by few kernels, mostly of one
 * input, whose numbers lie together. With thousands of kernels whole bit sets would take memory and
 * time with the square of the program. */
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
    uint32_t first; /* number of the first word */
    uint32_t count; /* of words */
};

#define NO_KERNEL UINT32_MAX

/* The lowest member not below `from`, the highest member below `limit`; NO_KERNEL: there is none.
 */
uint32_t kernel_set_next(const struct kernel_set *set, uint32_t from);
uint32_t kernel_set_previous(const struct kernel_set *set, uint32_t limit);

/* Of the members that the others do not have. */
uint32_t kernel_set_next_without(const struct kernel_set *set, const struct kernel_set *others,
                                 uint32_t from);

/* Of the members that both have. */
uint32_t kernel_set_previous_of_both(const struct kernel_set *a, const struct kernel_set *b,
                                     uint32_t limit);

/* The same ones as a set, whose words go where there is room for as many as the numbers of kernels
 * need; that can be where those of `a` are. */
struct kernel_set kernel_sets_common(uint64_t *words, const struct kernel_set *a,
                                     const struct kernel_set *b);

/* The only member; NO_KERNEL when there are none or several. */
uint32_t kernel_set_only(const struct kernel_set *set);

/* The lowest number not below `from` that none of the sets has. */
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

/* The union of sets given one by one. While only one was given it is that one itself: thousands of
 * functions below a common caller, and their variables, have one set and no copies of it. All zero
 * is the empty one. */
struct kernel_union {
    const struct kernel_set *set; /* NULL: none was given */
    struct kernel_set *own;       /* once there are several */
};

/* The set must not change from then on. */
void kernel_union_add(struct arena *arena, struct kernel_union *sum, const struct kernel_set *set);
void kernel_union_add_kernel(struct arena *arena, struct kernel_union *sum, uint32_t id);

/* Never NULL. */
const struct kernel_set *kernel_union_set(const struct kernel_union *sum);

/* The kernels that have something already, of what whole sets of kernels are given. Who gives one
 * set the same again, as a damaged record may a thousand times, changes nothing. */
struct kernel_holders {
    struct kernel_set kernels;
    const struct kernel_set *added; /* last */
};

/* But for one kernel; NO_KERNEL: for none. The set must not change from then on. */
void kernel_holders_add(struct arena *arena, struct kernel_holders *holders,
                        const struct kernel_set *set, uint32_t left_out);

#define EACH_KERNEL_THAT_LACKS(id, set, holders)                                                   \
    for (uint32_t id = (holders)->added == (set)                                                   \
                           ? NO_KERNEL                                                             \
                           : kernel_set_next_without((set), &(holders)->kernels, 0);               \
         id != NO_KERNEL; id = kernel_set_next_without((set), &(holders)->kernels, id + 1))

/* For a set of functions: which kept kernels reach each of them. An entry that stays as a mere
 * function reaches only itself. */
struct kernel_sets {
    struct function **kernels; /* concerned, in creation order */
    uint32_t kernel_count;
    uint32_t *kernel_id;           /* by function index; NO_KERNEL for others */
    const struct kernel_set **set; /* by node; NULL for nodes that reach none of the functions */
    struct kernel_union **by_component; /* NULL: none yet */
};

/* NO_KERNEL for none, NULL, and for one that is not concerned. */
uint32_t kernel_sets_number(const struct kernel_sets *sets, const struct function *kernel);

/* interesting: by function index. Linear in the part of the graph that leads to these functions,
 * times the words of a set where callers have several. */
void kernel_sets_find(struct warpld_link *link, const bool *interesting, struct kernel_sets *sets);

/* Makes each kernel that is interesting itself the only one that reaches it, for matters that do
 * not concern those that call it. */
void kernel_sets_part_kernels(struct warpld_link *link, const bool *interesting,
                              struct kernel_sets *sets);

#endif
