/* cubintool explain: prints where the resource needs of a kernel come from. */
#ifndef WARPLD_TOOL_EXPLAIN_EXPLAIN_H
#define WARPLD_TOOL_EXPLAIN_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "format/elf.h"
#include "tool/command/command.h"
#include "tool/explain/object_facts.h"
#include "tool/link_report/link_report.h"
#include "tool/print/parts.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"

struct explanation {
    const struct program *program;
    const struct program_function *function; /* the explained function, usually a kernel */
    struct reach reach;                      /* functions that it calls, directly or indirectly */
    struct link_report *report;              /* the linker's report, or NULL */
    const struct object_facts *objects;      /* facts from the objects that were linked, or NULL */
    struct parts parts;
    struct arena *arena;
};

int command_explain(const struct tool_options *options);

/* Each function adds one part of the explanation. */
void explain_registers(struct explanation *explanation);
void explain_stack(struct explanation *explanation);
void explain_functions(struct explanation *explanation);
void explain_shared(struct explanation *explanation);
void explain_constants(struct explanation *explanation);
void explain_parameters(struct explanation *explanation);
void explain_other_resources(struct explanation *explanation);
void explain_occupancy(struct explanation *explanation);

/* Whether the file is the result of a link. */
static inline bool explains_executable(const struct explanation *explanation)
{
    return explanation->program->subject->view.type == ET_EXEC;
}

#endif
