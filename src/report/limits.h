/* Limits of what kernels may need: --limit 'PATTERN:registers<=128,stack<=1K,local=0'. */
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

/* "registers", "bytes of stack", ... */
const char *limited_resource_text(enum limited_resource resource);

/* Reads limits from a text such as the one above, and adds them to the list. Returns NULL or an
 * error message. Keeps no pointer to the text. */
const char *limits_read(struct limits *limits, struct arena *arena, const char *text);

/* A kernel that needs more than a limit allows. */
struct limit_excess {
    const struct limit *limit;
    const struct warpld_kernel *kernel;
    size_t number;     /* index of the kernel in the queries of warpld.h */
    uint64_t amount;   /* what the kernel needs */
    bool is_unbounded; /* the kernel needs more than `amount` if its calls recurse further */
};

typedef void take_excess(void *context, const struct limit_excess *excess);

/* Calls the function `take` for each excess, kernel by kernel. Returns false if memory ran out. */
bool limits_check(const struct report *report, struct limits *limits, take_excess *take,
                  void *context);

#endif
