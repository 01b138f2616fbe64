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

/* The results of comparing one object with earlier ones. They are kept so that two objects that
 * conflict in many names are compared and reported only once. */
struct compared_objects {
    const struct input_object *second;
    uint8_t *results; /* by position of the earlier object: enum comparison in conflict_notes.c */
};

/* Returns whether both objects have the same code. If they have, reports a note, but only once for
 * all calls with the same two objects, unless a call with another second object is between them. */
bool conflict_notes_same_object(struct warpld_link *link, const struct input_object *first,
                                const struct input_object *second, const char *name);

#endif
