/* The passes of a link, in order. Start reading here, then link.h, then any pass. */
#include "link/model/link_context.h"

#include <assert.h>

/* CUDA 12 has targets from sm_100 on, but writes ABI version 8 for them (ptxas 12.9). */
static bool has_output_abi(const link_context *link)
{
    unsigned abi = link->options.output_abi;
    return !abi || abi == ABIVERSION_CUDA || (abi == ABIVERSION_CUDA_12 && !link_has_mercury(link));
}

/* Before the inputs are taken: with -Werror the search for libraries has errors of its own, which
 * load.c looks at. */
static bool failed_since(const link_context *link, uint32_t errors)
{
    return link->diagnostics.fatals || link->diagnostics.errors != errors;
}

static bool find_target(link_context *link)
{
    uint32_t errors = link->diagnostics.errors;
    const char *name = link->options.architecture;
    link->target = name ? architecture_find_virtual(name) : NULL;
    link->target_is_virtual = link->target;
    if (name && !link->target)
        link->target = architecture_find(name);
    if (!link->target)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNKNOWN_ARCHITECTURE, NULL, NULL,
                          name ? name : "(null)");
    else if (!link->target_is_virtual && !has_output_abi(link))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_ABI, NULL, NULL,
                          link->options.output_abi, name);
    else if (link->options.preserve_relocations && link->target->number >= 90)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_PRESERVE_INCOMPLETE, NULL, NULL, name);
    return !failed_since(link, errors);
}

void link_tell_pass(link_context *link, const char *name)
{
    if (link->options.pass_begins)
        link->options.pass_begins(link->options.pass_context, name);
}

struct pass {
    const char *name;
    void (*run)(link_context *link);
    enum link_stage needs, makes;
};

static void run_pass(link_context *link, struct pass pass)
{
    assert(link->stage == pass.needs);
    link_tell_pass(link, pass.name);
    pass.run(link);
    if (link->stage == pass.needs)
        link->stage = pass.makes;
}

/* The pass, the stage that it needs and the stage after it. */
#define PASS(function, needs, makes)                                                               \
    run_pass(link, (struct pass){#function, function, STAGE_##needs, STAGE_##makes})

/* Passes report all they find; the link stops at the next of these. */
#define CHECKPOINT(link)                                                                           \
    do {                                                                                           \
        if (diagnostics_failed(&(link)->diagnostics))                                              \
            return;                                                                                \
    } while (0)

/* Before anything is linked. */
static void take_inputs(link_context *link)
{
    uint32_t errors = link->diagnostics.errors;

    /* Where unified functions and variables have their places. */
    PASS(read_unified_index, INPUTS, INPUTS);
    if (failed_since(link, errors))
        return;

    /* Find the device code in every input, choose what is for this target, check it. */
    PASS(open_inputs, INPUTS, INPUTS);
    PASS(load, INPUTS, INPUTS);
    CHECKPOINT(link);
    PASS(skip_unused_runtime, INPUTS, INPUTS);
    PASS(linked_objects, INPUTS, INPUTS);
    /* From here on the set of inputs is frozen. */
}

static void plan_output(link_context *link)
{
    /* Names to definitions, strong and weak; conflicts between inputs (with check_inputs); second
     * names of functions. */
    PASS(resolve, INPUTS, RESOLVED);
    CHECKPOINT(link);
    PASS(aliases, RESOLVED, RESOLVED);
    CHECKPOINT(link);
    /* From here on it is frozen which definition each name has. */

    /* Who calls whom, and which functions no kernel can reach. */
    PASS(callgraph_build, RESOLVED, RESOLVED);
    PASS(gc, RESOLVED, COLLECTED);
    /* From here on it is frozen which functions stay. */

    /* Output sections and symbols in their order of creation; passes up to the addresses still add
     * sections that depend on what kernels reach. */
    PASS(merge, COLLECTED, MERGED);
    /* From here on it is frozen which output section each input section goes to. */
}

/* An output that is linked again leaves places and needs to the final link. */
static void leave_places(link_context *link)
{
    PASS(relocatable, MERGED, LAID_OUT);
    if (link->options.call_graph)
        PASS(tell_callgraph, LAID_OUT, LAID_OUT);
    if (link->options.no_shared_reservation)
        PASS(reserved_shared, LAID_OUT, LAID_OUT);
    if (link->options.verbose)
        PASS(report, LAID_OUT, LAID_OUT);
}

static void place_everything(link_context *link)
{
    /* Stack depths along the call graph; what no call reaches. */
    PASS(stack, MERGED, MERGED);
    PASS(uncalled, MERGED, MERGED);

    /* Addresses, memory space by memory space. */
    PASS(textures, MERGED, MERGED);
    if (link->diagnostics.fatals)
        return;
    PASS(layout_global, MERGED, MERGED);
    PASS(layout_shared, MERGED, MERGED);
    PASS(unused_constants, MERGED, MERGED);
    PASS(repack, MERGED, MERGED);
    PASS(layout_constant, MERGED, MERGED);
    PASS(share_constants, MERGED, MERGED);
    PASS(deduplicate, MERGED, MERGED);
    PASS(unified, MERGED, LAID_OUT);
    if (link->diagnostics.fatals)
        return;
    /* From here on all addresses are frozen. */

    /* What the memory spaces can hold, names that nothing defines, what kernels need of the rest
     * over everything that they reach. */
    PASS(limits, LAID_OUT, LAID_OUT);
    PASS(undefined, LAID_OUT, LAID_OUT);
    PASS(check_large_parameters, LAID_OUT, LAID_OUT);
    PASS(tell_callgraph, LAID_OUT, LAID_OUT);
    PASS(stack_limits, LAID_OUT, LAID_OUT);
    PASS(properties, LAID_OUT, LAID_OUT);
    PASS(reserved_shared, LAID_OUT, LAID_OUT);
    PASS(report, LAID_OUT, LAID_OUT);
}

/* The plan is complete but for what describes it. */
static void finish_output(link_context *link)
{
    /* The sections about the program, then what the relocations leave. */
    PASS(metadata, LAID_OUT, LAID_OUT);
    PASS(scan, LAID_OUT, SCANNED);
    CHECKPOINT(link);
    /* From here on all sizes but those of the file's own tables are frozen. */

    /* Indices and strings, then offsets in the file. */
    PASS(symtab, SCANNED, SCANNED);
    PASS(filelayout, SCANNED, INDEXED);
    CHECKPOINT(link);
    /* From here on everything is frozen; only bytes are written. */

    PASS(write_output, INDEXED, INDEXED); /* it says itself whether there is something */
}

static void make_output(link_context *link)
{
    plan_output(link);
    CHECKPOINT(link);
    if (link->options.relocatable)
        leave_places(link);
    else
        place_everything(link);
    CHECKPOINT(link);
    finish_output(link);
}

enum warpld_status link_run(link_context *link)
{
    if (find_target(link)) {
        take_inputs(link);
        if (!link->target_is_virtual && !diagnostics_failed(&link->diagnostics))
            make_output(link);
    }
    if (link->diagnostics.fatals)
        return WARPLD_ERROR_FATAL;
    if (link->diagnostics.errors)
        return WARPLD_ERROR_LINK;
    return WARPLD_OK;
}
