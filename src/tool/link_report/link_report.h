/* Reads facts about a link that the linked file does not contain: the names of shared variables,
 * the registers of each kernel's own code, and the inputs. The linker wrote them with
 * --report=FILE.json. */
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

/* A part of a kernel's shared memory: one or several variables, or bytes that the linker added. */
struct report_variable {
    uint64_t address;
    uint64_t bytes;
    const char *name;  /* readable name of the variable; NULL if there is not exactly one */
    const char *user;  /* mangled name of a function that uses the variable, or NULL */
    const char *input; /* path of the input that has the part; NULL if the linker added it */
};

/* Opens a report, which the caller must close. If the file is not a report, reports it to stderr
 * and returns NULL. */
struct link_report *link_report_open(const char *path, struct arena *arena);
void link_report_close(struct link_report *report);

/* Whether the report contains the kernel. `kernel` is the mangled name. */
bool link_report_knows(const struct link_report *report, const char *kernel);

/* Finds the number of registers that a kernel's own code needs. Returns false if the report does
 * not contain the kernel. */
bool link_report_own_registers(const struct link_report *report, const char *kernel,
                               uint32_t *registers);

/* Returns the variables that the report lists for the section of this name, in the order of the
 * report. */
struct report_variable *link_report_parts(const struct link_report *report, const char *section,
                                          struct arena *arena, size_t *count);

/* A number of bytes of the output that come from one input or from the linker. */
struct report_share {
    const char *input; /* path of the input; NULL for the linker */
    uint64_t file;     /* bytes in the file */
    uint64_t memory;   /* bytes on the device */
};

/* Returns shares that together cover all bytes of the output. An input can have several shares. */
struct report_share *link_report_shares(const struct link_report *report, struct arena *arena,
                                        size_t *count);

#endif
