/* Limits on the resources of kernels: --limit 'PATTERN:registers<=128,stack<=1K,local=0'. */
#ifndef WARPLD_REPORT_LIMITS_H
#define WARPLD_REPORT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "warpld.h"

struct report;

enum limited_resource {
    LIMITED_REGISTERS,
    LIMITED_STACK,
    LIMITED_SHARED,
    LIMITED_LOCAL,
    LIMITED_CONSTANT,
    LIMITED_PARAMETERS,
    LIMITED_BARRIERS,
    LIMITED_COUNT,
};

struct limit {
    const char *pattern; /* of names of kernels */
    enum limited_resource resource;
    uint64_t most; /* the largest amount that the limit allows */
    bool is_used;  /* some kernel matches the pattern */
};

struct limits {
    GROWING_ARRAY(struct limit, list);
};

/* Returns the words for the resource in messages: "registers", "bytes of stack", ... */
const char *limited_resource_text(enum limited_resource resource);

/* Reads the argument of one --limit option and adds its limits to the list. Returns NULL or an
 * error message. Keeps no pointer to the text. */
const char *limits_read(struct limits *limits, struct arena *arena, const char *text);

/* A kernel that needs more than a limit allows. */
struct limit_excess {
    const struct limit *limit;
    const struct warpld_kernel *kernel;
    size_t number;     /* index of the kernel for warpld_get_kernel */
    uint64_t amount;   /* amount that the kernel needs */
    bool is_unbounded; /* deeper recursion needs more than `amount` */
};

typedef void take_excess(void *context, const struct limit_excess *excess);

/* Calls the function `take` for each excess, kernel by kernel. Returns false if memory ran out. */
bool limits_check(const struct report *report, struct limits *limits, take_excess *take,
                  void *context);

#endif
