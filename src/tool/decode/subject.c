/* Opens device ELFs; see subject.h. */
#include "tool/decode/subject.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tool/decode/tool_error.h"

static void out_of_memory(void *owner)
{
    (void)owner;
    fputs("cubintool: out of memory\n", stderr);
    exit(2);
}

void tool_arena_init(struct arena *arena)
{
    arena_init(arena, out_of_memory, NULL);
}

struct report {
    const char *path;
    elf_problem_handler *handler; /* the caller's handler, or NULL */
    void *context;
};

static bool report_problem(void *context, const struct elf_problem *problem)
{
    const struct report *report = context;
    if (report->handler)
        return report->handler(report->context, problem);
    if (elf_rule_is_exception(problem->rule))
        return true;
    tool_error("%s: section %" PRIu32 " (%s): %s (%s, entry %" PRIu64 ", value 0x%" PRIx64 ")",
               report->path, problem->section, problem->section_name ? problem->section_name : "?",
               elf_rule_text(problem->rule), elf_rule_slug(problem->rule), problem->index,
               problem->value);
    return true;
}

/* Returns why a file cannot be read as a device ELF; NULL if it can. */
static const char *refusal(struct bytes file)
{
    switch (elf_identify(file)) {
    case ELF_KIND_NOT_ELF:
        return "not an ELF file";
    case ELF_KIND_FOREIGN:
        return "an ELF file, but not for CUDA devices";
    case ELF_KIND_DEVICE_32:
        return "a 32-bit device ELF, which is not supported";
    case ELF_KIND_DEVICE_ABI:
        return "a device ELF of an unknown ABI";
    case ELF_KIND_DEVICE:
        break;
    }
    return NULL;
}

enum subject_state subject_open(struct subject *subject, const char *path, struct bytes bytes,
                                elf_problem_handler *handler, void *context)
{
    *subject = (struct subject){.path = path};
    tool_arena_init(&subject->arena);
    const char *reason = refusal(bytes);
    if (reason) {
        tool_error("%s: %s", path, reason);
        return SUBJECT_UNUSABLE;
    }
    struct report report = {path, handler, context};
    if (!elf_view_open(&subject->view, bytes, &subject->arena, report_problem, &report))
        return SUBJECT_BROKEN;
    return SUBJECT_OPEN;
}

void subject_close(struct subject *subject)
{
    arena_destroy(&subject->arena);
}
