/* Explains which functions determine the registers and the stack of a kernel, and lists the
 * functions that it reaches; see explain.h.
 *
 * A linker raises the register count of a kernel to the maximum of all functions that the kernel
 * reaches (docs/format/attributes.md, REGCOUNT). The linked file has only the result; the linker's
 * report has the count of the kernel's own code, too. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "tool/decode/listing.h"
#include "tool/explain/explain.h"
#include "tool/explain/object_facts.h"
#include "tool/link_report/link_report.h"
#include "tool/print/parts.h"
#include "tool/program/paths.h"
#include "tool/program/program.h"

/* Returns the function that needs the most registers among those that the explained function
 * reaches. If several need the same number, returns the nearest one. If no register count is known,
 * returns NO_FUNCTION. */
static uint32_t largest_callee(const struct explanation *explanation)
{
    const struct program *program = explanation->program;
    uint32_t largest = NO_FUNCTION;
    for (uint32_t i = 1; i < explanation->reach.count; i++) {
        uint32_t at = explanation->reach.found[i];
        const struct amount *registers = &program->functions[at].registers;
        if (registers->known && (largest == NO_FUNCTION ||
                                 registers->value > program->functions[largest].registers.value))
            largest = at;
    }
    return largest;
}

/* Returns a text such as "helper, along first -> second -> helper". */
static const char *with_path(const struct explanation *explanation, uint32_t function)
{
    struct path path = reach_path(&explanation->reach, function, explanation->arena);
    return arena_format(explanation->arena, "%s, along %s",
                        explanation->program->functions[function].label,
                        path_text(&path, explanation->program, explanation->arena));
}

static const char *symbol_name(const struct explanation *explanation)
{
    return elf_view_symbol(&explanation->program->subject->view, VIEW_NATIVE,
                           explanation->function->symbol)
        .name;
}

static void say_own(struct explanation *explanation, struct part *part, uint32_t own,
                    uint32_t largest)
{
    const struct program_function *callee = &explanation->program->functions[largest];
    uint32_t all = explanation->function->registers.value;
    if (all > own)
        part_say(&explanation->parts, part,
                 "its own code needs %" PRIu32 "; raised to %" PRIu32 " by %s", own, all,
                 with_path(explanation, largest));
    else
        part_say(&explanation->parts, part,
                 "its own code needs them; its callees need at most %" PRIu32 ": %s",
                 callee->registers.value, with_path(explanation, largest));
}

/* Explains the register count from a linked file alone, without the linker's report or objects. */
static void say_linked(struct explanation *explanation, struct part *part, uint32_t largest)
{
    uint32_t most = explanation->program->functions[largest].registers.value;
    if (most < explanation->function->registers.value)
        say_own(explanation, part, explanation->function->registers.value, largest);
    else
        part_say(&explanation->parts, part, "as many as %s; its own code needs these or fewer",
                 with_path(explanation, largest));
}

static void say_unlinked(struct explanation *explanation, struct part *part, uint32_t largest)
{
    uint32_t own = explanation->function->registers.value;
    uint32_t most = explanation->program->functions[largest].registers.value;
    if (most > own)
        part_say(&explanation->parts, part,
                 "its own code needs them; the link will raise them to %" PRIu32 " or more, for %s",
                 most, with_path(explanation, largest));
    else
        part_say(&explanation->parts, part,
                 "its own code needs them; the link may raise them to those of functions of other "
                 "files");
}

/* Reads the register count of the kernel's own code from the linker's report or from the objects.
 * Returns false if neither knows the kernel. */
static bool find_own(const struct explanation *explanation, uint32_t *own)
{
    const char *name = symbol_name(explanation);
    if (explanation->report && link_report_own_registers(explanation->report, name, own))
        return true;
    return explanation->objects && object_facts_registers(explanation->objects, name, own);
}

static void say_whose(struct explanation *explanation, struct part *part)
{
    uint32_t own, largest = largest_callee(explanation);
    if (!explanation->function->is_kernel)
        part_say(&explanation->parts, part, "its own code needs them");
    else if (largest == NO_FUNCTION)
        part_say(&explanation->parts, part,
                 "its own code needs them; it calls nothing with registers");
    else if (!explains_executable(explanation))
        say_unlinked(explanation, part, largest);
    else if (find_own(explanation, &own))
        say_own(explanation, part, own, largest);
    else
        say_linked(explanation, part, largest);
}

void explain_registers(struct explanation *explanation)
{
    const struct program_function *function = explanation->function;
    struct part *part = parts_add(
        &explanation->parts, "registers",
        function->registers.known
            ? arena_format(explanation->arena, "Registers: %" PRIu32, function->registers.value)
            : "Registers: the file does not say how many");
    if (function->registers.known)
        say_whose(explanation, part);
    if (function->is_kernel && function->maximum_registers.known)
        part_say(&explanation->parts, part, "the kernel is compiled for %" PRIu32 " at most",
                 function->maximum_registers.value & 0xff);
}

/* ---------------------------------------------------------------------------------------------- */
/* Stack                                                                                          */

static void put_chain(struct explanation *explanation, struct listing *rows,
                      const struct path *chain)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < chain->functions_count; i++) {
        const struct program_function *function =
            &explanation->program->functions[chain->functions[i]];
        total += function->frame.value;
        listing_add_row(rows, 1);
        if (function->frame.known)
            put_number(rows, "frame", function->frame.value);
        else
            put_absent(rows, "frame");
        put_number(rows, "stack", total);
        put_text(rows, "function", function->label);
    }
}

static const char *stack_title(const struct explanation *explanation,
                               const struct stack_chain *stack)
{
    struct amount said = explanation->function->minimum_stack;
    if (stack->is_recursive)
        return "Stack: unknown, because it recurses";
    return arena_format(explanation->arena, "Stack: %" PRIu64 " bytes",
                        said.known && said.value != UINT32_MAX ? said.value : stack->bytes);
}

/* Adds the part about the stack: a row with the frame for each function of the deepest chain of
 * calls. With recursion, the part names the functions that call each other. */
void explain_stack(struct explanation *explanation)
{
    const struct program_function *function = explanation->function;
    struct stack_chain stack;
    stack_chain_find(&stack, explanation->program, program_index(explanation->program, function),
                     explanation->arena);
    struct part *part = parts_add(&explanation->parts, "stack", stack_title(explanation, &stack));
    if (stack.is_recursive)
        part_say(&explanation->parts, part, "these call each other: %s -> %s",
                 path_text(&stack.cycle, explanation->program, explanation->arena),
                 explanation->program->functions[stack.cycle.functions[0]].label);
    else if (function->minimum_stack.known && function->minimum_stack.value == UINT32_MAX)
        part_say(&explanation->parts, part, "the file says that it is unknown");
    else if (function->minimum_stack.known && function->minimum_stack.value != stack.bytes)
        part_say(&explanation->parts, part, "the frames of the file add up to %" PRIu64,
                 stack.bytes);
    if (stack.lacks_frames)
        part_say(&explanation->parts, part, "the file lacks the frame size of some functions");
    put_chain(explanation, &part->rows, &stack.chain);
}

/* ---------------------------------------------------------------------------------------------- */
/* Functions                                                                                      */

struct ranked {
    const struct program_function *function;
    uint32_t position;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    uint32_t p = x->function->registers.value, q = y->function->registers.value;
    if (p != q)
        return p > q ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static void put_amount(struct listing *rows, const char *key, struct amount amount)
{
    if (amount.known)
        put_number(rows, key, amount.value);
    else
        put_absent(rows, key);
}

static void put_reached(struct explanation *explanation, struct listing *rows,
                        const struct program_function *function)
{
    const struct program *program = explanation->program;
    uint32_t caller = explanation->reach.caller[program_index(program, function)];
    listing_add_row(rows, 1);
    put_amount(rows, "registers", function->registers);
    put_amount(rows, "frame", function->frame);
    put_number(rows, "barriers", function->barriers.value);
    put_number(rows, "code", function->code_size);
    put_text(rows, "function", function->label);
    if (caller == NO_FUNCTION)
        put_absent(rows, "called_by");
    else
        put_text(rows, "called_by", program->functions[caller].label);
}

/* Adds a row for each function that the kernel reaches, sorted by registers, the largest first. */
void explain_functions(struct explanation *explanation)
{
    const struct reach *reach = &explanation->reach;
    struct part *part = parts_add(
        &explanation->parts, "functions",
        arena_format(explanation->arena, "Functions that it reaches: %" PRIu32, reach->count - 1));
    struct ranked *ranked = ARENA_ARRAY(explanation->arena, struct ranked, reach->count);
    for (uint32_t i = 0; i < reach->count; i++)
        ranked[i] = (struct ranked){&explanation->program->functions[reach->found[i]], i};
    if (reach->count > 1)
        qsort(ranked + 1, reach->count - 1, sizeof *ranked, compare_ranked);
    for (uint32_t i = 1; i < reach->count; i++)
        put_reached(explanation, &part->rows, ranked[i].function);
}
