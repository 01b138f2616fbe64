/* Notes about two declarations that conflict: what each declares, and why a name is defined
 * twice. */
#ifndef WARPLD_LINK_RESOLVE_CONFLICT_NOTES_H
#define WARPLD_LINK_RESOLVE_CONFLICT_NOTES_H

#include <stdbool.h>
#include <stdint.h>

struct input_object;
struct warpld_link;

/* One of the two declarations. */
struct declaration {
    const char *input;
    uint8_t type;  /* STT_* */
    uint8_t other; /* STO_CUDA_* */
};

/* Reports what two declarations of a symbol declare: "__constant__ in 'a.o', __device__ in
 * 'b.o'". */
void conflict_notes_declarations(struct warpld_link *link, const char *name,
                                 struct declaration second, struct declaration first);

/* The later object with which an object was compared last, and the result. It is kept for each
 * object, so that two objects that conflict in many names are compared and reported only once. */
struct object_comparison {
    const struct input_object *second; /* NULL: none */
    bool are_same;
};

/* Returns whether both objects have the same code. If they have, reports a note, but only once for
 * all calls with the same two objects, unless the first is compared with another one in between. */
bool conflict_notes_same_object(struct warpld_link *link, const struct input_object *first,
                                const struct input_object *second, const char *name);

#endif
