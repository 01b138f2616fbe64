/* Reads facts that are in the objects of a link, but not in its output: the registers that the code
 * of each function needs, and the shared variables to which this code refers. */
#ifndef WARPLD_TOOL_EXPLAIN_OBJECT_FACTS_H
#define WARPLD_TOOL_EXPLAIN_OBJECT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "tool/command/command.h"

/* A shared variable to which a function refers. All texts are in the arena of the facts. */
struct object_variable {
    const char *function; /* mangled name */
    const char *variable; /* readable name */
    const char *object;   /* path of the object */
    uint64_t size;
};

struct object_facts {
    struct arena *arena;
    struct name_table functions;
    GROWING_ARRAY(struct object_variable, variables);
};

/* Reads the objects that the command line names after the file and the kernel. If one cannot be
 * read, reports it to stderr and returns false. */
bool object_facts_read(struct object_facts *facts, const struct tool_options *options,
                       struct arena *arena);

/* Finds the number of registers that a function's own code needs. `function` is the mangled name.
 * Returns false if no object has the function. */
bool object_facts_registers(const struct object_facts *facts, const char *function,
                            uint32_t *registers);

#endif
