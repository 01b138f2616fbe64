/* Facts that are in the objects of a link and not in its output: the registers of each function's
 * own code, and the shared variables that its code refers to. */
#ifndef WARPLD_TOOL_EXPLAIN_OBJECT_FACTS_H
#define WARPLD_TOOL_EXPLAIN_OBJECT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "tool/command/command.h"

/* A shared variable to which a function refers; all texts are in the arena of the facts. */
struct object_variable {
    const char *function; /* name as in the file */
    const char *variable; /* readable name */
    const char *object;   /* path of the object */
    uint64_t size;
};

struct object_facts {
    struct arena *arena;
    struct name_table functions;
    GROWING_ARRAY(struct object_variable, variables);
};

/* Reads the files of the command line from the third one on. Returns false after a message to
 * stderr if one cannot be read. */
bool object_facts_read(struct object_facts *facts, const struct tool_options *options,
                       struct arena *arena);

/* The registers of a function's own code, by its name as in the file; false if no object has it. */
bool object_facts_registers(const struct object_facts *facts, const char *function,
                            uint32_t *registers);

#endif
