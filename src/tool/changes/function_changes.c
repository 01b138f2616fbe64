/* Finds the functions that were added, removed or changed; see changes.h.
 *
 * Functions are paired by their readable names. In the symbol table, the name of a static function
 * contains a hash that changes with the source file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"
#include "tool/changes/changes.h"
#include "tool/decode/subject.h"
#include "tool/program/call_frames.h"
#include "tool/program/program.h"

enum side { OLD, NEW, SIDES };

/* The numbers that differences add to the importance of a change. Changes are sorted by importance,
 * so an edited function precedes callers that only inherit its needs. */
enum {
    IMPORTANCE_PRESENCE = 500,
    IMPORTANCE_CODE = 100,
    IMPORTANCE_OWN = 10,
    IMPORTANCE_INHERITED = 1,
};

/* A function of the old program and its partner in the new program. The tables have the indices of
 * program->functions. */
struct function_pair {
    const struct program *programs[SIDES];
    const struct program_function *functions[SIDES];
    struct attribute_values *attributes[SIDES];
    struct call_frame *frames[SIDES];
    const char *const *names[SIDES]; /* readable; several functions can have the same name */
};

static const char *thing_of(const struct program_function *function)
{
    return function->is_kernel ? "kernel" : "function";
}

static struct change_value number_of(uint64_t number)
{
    return change_of(number);
}

/* ---------------------------------------------------------------------------------------------- */
/* Code                                                                                           */

static const struct elf_section *code_of(const struct function_pair *pair, enum side side)
{
    return &pair->programs[side]->subject->view.sections[pair->functions[side]->section];
}

/* Counts the instructions that differ from the instruction at the same offset on the other side.
 * Sets *all to the number of instructions of the old code. An instruction has 16 bytes from sm_70
 * on, and 8 bytes before. */
static uint64_t different_instructions(const struct function_pair *pair, uint64_t *all)
{
    struct bytes a = section_bytes(code_of(pair, OLD)), b = section_bytes(code_of(pair, NEW));
    uint64_t unit = elf_view_sm(&pair->programs[OLD]->subject->view) >= 70 ? 16 : 8, count = 0;
    *all = a.size / unit;
    for (uint64_t at = 0; at + unit <= a.size && at + unit <= b.size; at += unit)
        count += memcmp(a.data + at, b.data + at, unit) != 0;
    return count;
}

/* Adds a row if the size of the code changed. If the size is the same but instructions differ, adds
 * a row with their number. */
static void compare_code(struct changes *changes, struct change *change,
                         const struct function_pair *pair)
{
    uint64_t all, sizes[SIDES] = {pair->functions[OLD]->code_size, pair->functions[NEW]->code_size};
    uint64_t count = different_instructions(pair, &all);
    change_number(changes, change, "code", number_of(sizes[OLD]), number_of(sizes[NEW]));
    if (sizes[OLD] != sizes[NEW] || count)
        change->importance += IMPORTANCE_CODE;
    if (sizes[OLD] == sizes[NEW] && count)
        change_text(changes, change, "instructions", "",
                    arena_format(changes->arena, "%" PRIu64 " of %" PRIu64 " changed", count, all));
}

static bool same_bytes(struct bytes a, struct bytes b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static void compare_frames(struct changes *changes, struct change *change,
                           const struct function_pair *pair)
{
    struct call_frame frames[SIDES];
    for (int side = 0; side < SIDES; side++)
        frames[side] =
            pair->frames[side][program_index(pair->programs[side], pair->functions[side])];
    uint64_t sizes[SIDES] = {frames[OLD].rules.size, frames[NEW].rules.size};
    change_number(changes, change, "call frame rules", number_of(sizes[OLD]),
                  number_of(sizes[NEW]));
    if (sizes[OLD] == sizes[NEW] && (!same_bytes(frames[OLD].rules, frames[NEW].rules) ||
                                     !same_bytes(frames[OLD].common, frames[NEW].common)))
        change_text(changes, change, "call frame rules", "", "others of the same size");
}

/* ---------------------------------------------------------------------------------------------- */
/* Calls                                                                                          */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the sorted names of the functions that a function calls. */
static const char **callee_names(const struct program_function *function,
                                 const char *const *all_names, struct arena *arena)
{
    const char **names = ARENA_ARRAY(arena, const char *, function->calls_count);
    for (uint32_t i = 0; i < function->calls_count; i++)
        names[i] = all_names[function->calls[i]];
    if (function->calls_count)
        qsort(names, function->calls_count, sizeof *names, compare_texts);
    return names;
}

/* Adds a row for each callee that only one side has. */
static void compare_calls(struct changes *changes, struct change *change,
                          const struct function_pair *pair)
{
    const char **names[SIDES];
    uint32_t counts[SIDES], at[SIDES] = {0, 0};
    for (int side = 0; side < SIDES; side++) {
        names[side] = callee_names(pair->functions[side], pair->names[side], changes->arena);
        counts[side] = pair->functions[side]->calls_count;
    }
    while (at[OLD] < counts[OLD] || at[NEW] < counts[NEW]) {
        int order = at[OLD] == counts[OLD]   ? 1
                    : at[NEW] == counts[NEW] ? -1
                                             : strcmp(names[OLD][at[OLD]], names[NEW][at[NEW]]);
        if (order < 0)
            change_text(changes, change, "calls", names[OLD][at[OLD]], NULL);
        else if (order > 0)
            change_text(changes, change, "calls", NULL, names[NEW][at[NEW]]);
        at[OLD] += order <= 0;
        at[NEW] += order >= 0;
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Resources                                                                                      */

static void compare_amount(struct changes *changes, struct change *change, const char *resource,
                           struct amount old, struct amount new)
{
    change_number(changes, change, resource, change_of_amount(old), change_of_amount(new));
}

static const char *stack_text(struct amount stack, struct arena *arena)
{
    return stack.value == UINT32_MAX ? "unlimited" : arena_format(arena, "%" PRIu32, stack.value);
}

static void compare_stacks(struct changes *changes, struct change *change, struct amount old,
                           struct amount new)
{
    bool is_unlimited =
        (old.known && old.value == UINT32_MAX) || (new.known &&new.value == UINT32_MAX);
    if (is_unlimited)
        change_text(changes, change, "stack", stack_text(old, changes->arena),
                    stack_text(new, changes->arena));
    else
        compare_amount(changes, change, "stack", old, new);
}

/* Compares the resources that a function needs for its own code, without its callees. */
static void compare_own(struct changes *changes, struct change *change,
                        const struct program_function *old, const struct program_function *new)
{
    change_number(changes, change, "parameters", number_of(old->parameters_count),
                  number_of(new->parameters_count));
    compare_amount(changes, change, "parameter bytes", old->parameter_bytes, new->parameter_bytes);
    compare_amount(changes, change, "most registers", old->maximum_registers,
                   new->maximum_registers);
    compare_amount(changes, change, "most threads", old->maximum_threads, new->maximum_threads);
    compare_amount(changes, change, "threads", old->required_threads, new->required_threads);
    compare_amount(changes, change, "frame", old->frame, new->frame);
    change_number(changes, change, "local", number_of(old->local), number_of(new->local));
    for (int bank = 1; bank < CONSTANT_BANK_COUNT; bank++)
        change_number(changes, change, arena_format(changes->arena, "constants of bank %d", bank),
                      number_of(old->constants[bank]), number_of(new->constants[bank]));
    if (change->rows_count)
        change->importance += IMPORTANCE_OWN;
}

/* Compares the resources that a caller inherits: it needs at least as much as each callee. */
static void compare_inherited(struct changes *changes, struct change *change,
                              const struct program_function *old,
                              const struct program_function *new)
{
    uint32_t before = change->rows_count;
    compare_amount(changes, change, "registers", old->registers, new->registers);
    compare_stacks(changes, change, old->minimum_stack, new->minimum_stack);
    change_number(changes, change, "shared", number_of(old->shared), number_of(new->shared));
    change_number(changes, change, "barriers", number_of(old->barriers.value),
                  number_of(new->barriers.value));
    if (change->rows_count > before)
        change->importance += IMPORTANCE_INHERITED;
}

static void compare_pair(struct changes *changes, const struct function_pair *pair)
{
    const struct program_function *old = pair->functions[OLD], *new = pair->functions[NEW];
    struct change *change = changes_add(changes, CHANGE_CHANGED, thing_of(new), new->label);
    change_text(changes, change, "kind", thing_of(old), thing_of(new));
    compare_inherited(changes, change, old, new);
    compare_own(changes, change, old, new);
    compare_code(changes, change, pair);
    compare_calls(changes, change, pair);
    compare_frames(changes, change, pair);
    compare_attributes(changes, change, pair->attributes[OLD], program_index(changes->old, old),
                       pair->attributes[NEW], program_index(changes->new, new));
    if (!change->rows_count)
        changes->all_count--;
}

/* Reports a function that only `side` has, with its registers and code size. */
static void report_lone_function(struct changes *changes, const struct program_function *function,
                                 enum side side)
{
    static const struct change_value NONE = {.known = false};
    struct change *change = changes_add(changes, side == OLD ? CHANGE_REMOVED : CHANGE_ADDED,
                                        thing_of(function), function->label);
    const struct change_value registers = change_of_amount(function->registers);
    const struct change_value code = number_of(function->code_size);
    change->importance = IMPORTANCE_PRESENCE;
    change_number(changes, change, "registers", side == OLD ? registers : NONE,
                  side == OLD ? NONE : registers);
    change_number(changes, change, "code", side == OLD ? code : NONE, side == OLD ? NONE : code);
}

/* ---------------------------------------------------------------------------------------------- */
/* All functions                                                                                  */

/* Returns the names of program->functions: readable names, or the labels of entries that represent
 * prototypes (see program.h). */
static const char *const *readable_names(const struct program *program, struct arena *arena)
{
    struct readable_names readable = {.arena = arena};
    const char **names = ARENA_ARRAY(arena, const char *, program->count);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_function *function = &program->functions[i];
        names[i] =
            function->is_prototype
                ? function->label
                : readable_text(
                      &readable,
                      elf_view_symbol(&program->subject->view, VIEW_NATIVE, function->symbol).name);
    }
    return names;
}

/* Returns the names of the defined functions, each followed by a hash of the function's code.
 * Static functions of several files can have the same name. With the hash, a function whose code
 * did not change is paired with itself. */
static const char *const *names_with_code(const struct program *program, const char *const *names,
                                          struct arena *arena)
{
    const char **result = ARENA_ARRAY(arena, const char *, program->defined_count);
    for (uint32_t i = 0; i < program->defined_count; i++) {
        struct bytes code =
            section_bytes(&program->subject->view.sections[program->functions[i].section]);
        result[i] = arena_format(arena, "%s\n%" PRIx64, names[i],
                                 (uint64_t)XXH3_64bits(code.data, code.size));
    }
    return result;
}

void changes_of_functions(struct changes *changes)
{
    struct arena *arena = changes->arena;
    const struct program *programs[SIDES] = {changes->old, changes->new};
    const char *const *const names[SIDES] = {readable_names(changes->old, arena),
                                             readable_names(changes->new, arena)};
    struct name_pairs pairs =
        name_pairs_make(changes->old->defined_count, changes->new->defined_count, arena);
    const char *const *const exact[SIDES] = {names_with_code(changes->old, names[OLD], arena),
                                             names_with_code(changes->new, names[NEW], arena)};
    pair_names(&pairs, exact, arena);
    pair_names(&pairs, names, arena);
    struct function_pair pair = {.programs = {changes->old, changes->new}};
    for (int side = 0; side < SIDES; side++) {
        pair.frames[side] = call_frames_read(programs[side], arena);
        pair.names[side] = names[side];
        pair.attributes[side] = attribute_values_read(programs[side], arena);
    }
    for (int side = 0; side < SIDES; side++) {
        for (uint32_t i = 0; i < pairs.counts[side]; i++) {
            uint32_t partner = pairs.partners[side][i];
            if (partner == UINT32_MAX) {
                report_lone_function(changes, &programs[side]->functions[i], side);
            } else if (side == OLD) {
                pair.functions[OLD] = &changes->old->functions[i];
                pair.functions[NEW] = &changes->new->functions[partner];
                compare_pair(changes, &pair);
            }
        }
    }
}
