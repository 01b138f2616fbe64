/* What the linker wrote about a link with --report=FILE.json: the names of shared variables, the
 * registers of each kernel's own code, and the inputs. The linked file itself has none of them. */
#ifndef WARPLD_TOOL_LINK_REPORT_LINK_REPORT_H
#define WARPLD_TOOL_LINK_REPORT_LINK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"

struct link_report {
    const char *path;
    json_t *root;
};

/* A piece of a kernel's shared memory: a variable, several variables, or bytes that the linker
 * added. */
struct report_variable {
    uint64_t address;
    uint64_t bytes;
    const char *name;  /* readable name of the variable; NULL if the piece is not one variable */
    const char *user;  /* name, as in the objects, of a function that uses it; or NULL */
    const char *input; /* the file that the piece comes from; NULL if it comes from the linker */
};

/* Returns NULL after a message to stderr if the file is not a report. The caller closes the
 * report. */
struct link_report *link_report_open(const char *path, struct arena *arena);
void link_report_close(struct link_report *report);

/* Whether the report knows the kernel, by its name as in the file. */
bool link_report_knows(const struct link_report *report, const char *kernel);

/* The registers of a kernel's own code; false if the report does not know the kernel. */
bool link_report_own_registers(const struct link_report *report, const char *kernel,
                               uint32_t *registers);

/* The variables that the report lists for a section, with their addresses, in its order. */
struct report_variable *link_report_parts(const struct link_report *report, const char *section,
                                          struct arena *arena, size_t *count);

/* Bytes of the output that come from one input, or from the linker if `input` is NULL. */
struct report_share {
    const char *input; /* or NULL */
    uint64_t file;
    uint64_t memory;
};

/* Shares that account for each byte of the output. */
struct report_share *link_report_shares(const struct link_report *report, struct arena *arena,
                                        size_t *count);

#endif
