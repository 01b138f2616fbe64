/* The passes of a link, in order. Start reading here, then link.h, then any pass. */
#include "link/link.h"

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

static void run_pass(link_context *link, const char *name, void (*pass)(link_context *link))
{
    link_tell_pass(link, name);
    pass(link);
}

#define PASS(pass) run_pass(link, #pass, pass)

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
    PASS(read_unified_index);
    if (failed_since(link, errors))
        return;

    /* Find the device code in every input, choose what is for this target, check it. */
    PASS(open_inputs);
    PASS(load);
    CHECKPOINT(link);
    PASS(skip_unused_runtime);
    PASS(linked_objects);
    /* From here on the set of inputs is frozen. */
}

static void plan_output(link_context *link)
{
    /* Names to definitions, strong and weak; conflicts between inputs (with check_inputs); second
     * names of functions. */
    PASS(resolve);
    CHECKPOINT(link);
    PASS(aliases);
    CHECKPOINT(link);
    /* From here on it is frozen which definition each name has. */

    /* Who calls whom, and which functions no kernel can reach. */
    PASS(callgraph_build);
    PASS(gc);
    /* From here on it is frozen which functions stay. */

    /* Output sections and symbols in their order of creation. */
    PASS(merge);
    /* From here on the order of everything that comes from inputs is frozen. */
}

/* An output that is linked again leaves places and needs to the final link. */
static void leave_places(link_context *link)
{
    PASS(relocatable);
    if (link->options.call_graph)
        PASS(tell_callgraph);
    if (link->options.verbose)
        PASS(report);
}

static void place_everything(link_context *link)
{
    /* Stack depths along the call graph; what no call reaches. */
    PASS(stack);
    PASS(uncalled);

    /* Addresses, memory space by memory space. */
    PASS(textures);
    if (link->diagnostics.fatals)
        return;
    PASS(layout_global);
    PASS(layout_shared);
    PASS(unused_constants);
    PASS(repack);
    PASS(layout_constant);
    PASS(share_constants);
    PASS(deduplicate);
    PASS(unified);
    if (link->diagnostics.fatals)
        return;
    link->stage = STAGE_LAID_OUT;
    /* From here on all addresses are frozen. */

    /* What the memory spaces can hold, names that nothing defines, what kernels need of the rest
     * over everything that they reach. */
    PASS(limits);
    PASS(undefined);
    PASS(check_large_parameters);
    PASS(tell_callgraph);
    PASS(stack_limits);
    PASS(properties);
    PASS(reserved_shared);
    PASS(report);
}

/* The plan is complete but for what describes it. */
static void finish_output(link_context *link)
{
    /* The sections about the program, then what the relocations leave. */
    PASS(metadata);
    PASS(scan);
    CHECKPOINT(link);
    /* From here on all sizes but those of the file's own tables are frozen. */

    /* Indices and strings, then offsets in the file. */
    PASS(symtab);
    PASS(filelayout);
    CHECKPOINT(link);
    /* From here on everything is frozen; only bytes are written. */

    PASS(write_output);
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
