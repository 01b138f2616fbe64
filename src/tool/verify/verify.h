/* cubintool verify: reports every rule of the format that a file violates. */
#ifndef WARPLD_TOOL_VERIFY_VERIFY_H
#define WARPLD_TOOL_VERIFY_VERIFY_H

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

enum verify_rule {
#define VERIFY_RULE(name, slug, files, text) VERIFY_RULE_##name,
#include "tool/verify/verify_rules.def"
#undef VERIFY_RULE
    VERIFY_RULE_COUNT,
};

struct verify {
    const struct subject *subject;
    struct arena *arena;   /* for the checks of one file */
    struct listing *found; /* a row for each violation */
    bool is_of_compiler;   /* only ptxas wrote the file; see verify_finds_compiler_only */
};

/* Adds a violation if the rule applies to this kind of file. `section` is the index of the section;
 * 0: the whole file. `index` says what violates the rule: the index of an entry or, for a field of
 * the header or a byte, its offset; for LAYOUT_END 0 (section headers), 1 (program headers) or 2
 * (end of the file); 0 if there is nothing to distinguish. `value` is the value that violates the
 * rule. */
void verify_report(struct verify *verify, enum verify_rule rule, uint32_t section, uint64_t index,
                   uint64_t value);

static inline bool verify_is_executable(const struct verify *verify)
{
    return verify->subject->view.type == ET_EXEC;
}

static inline bool verify_has_mercury(const struct verify *verify)
{
    return verify->subject->view.symbols[VIEW_MERCURY].count > 0;
}

/* Whether the file is an executable that a linker wrote. */
static inline bool verify_is_link(const struct verify *verify)
{
    return verify_is_executable(verify) && !verify->is_of_compiler;
}

static inline bool verify_is_native_link(const struct verify *verify)
{
    return verify_is_link(verify) && !verify_has_mercury(verify);
}

/* Each function does some of the checks. Requires: the view of the file is opened. */
void verify_layout(struct verify *verify);
void verify_segments(struct verify *verify);
void verify_sections(struct verify *verify);
void verify_symbols(struct verify *verify);
void verify_callgraphs(struct verify *verify);
void verify_notes(struct verify *verify);

/* Whether the file has tool notes, and all of them are from ptxas. */
bool verify_finds_compiler_only(const struct elf_view *view);

/* Runs all checks on an opened file, and adds a row for each violation. */
void verify_subject(struct subject *subject, struct arena *arena, struct listing *found);

/* An elf_problem_handler that adds a row for a violation. `context` is the listing. */
bool verify_add_problem(void *context, const struct elf_problem *problem);

int command_verify(const struct tool_options *options);

#endif
