/* The passes of a link, in order. Start reading here, then model/link_context.h, then any pass. */
#include "link/link.h"

#include <assert.h>

#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "link/input/input_passes.h"
#include "link/layout/layout_passes.h"
#include "link/merge/merge_passes.h"
#include "link/relocate/relocate_passes.h"
#include "link/resolve/resolve_passes.h"
#include "link/resources/resources_passes.h"
#include "link/write/write_passes.h"

/* --------------------------------------------------------------------------------------------- */
/* The list                                                                                      */

/* What a relocatable output leaves to the final link. */
enum {
    STAGES_LEFT = STAGE_STACKED | STAGE_CALLS_CHECKED | STAGE_TEXTURES_PLACED |
                  STAGE_GLOBALS_PLACED | STAGE_SHARED_PLACED | STAGE_CONSTANTS_MARKED |
                  STAGE_CONSTANTS_PACKED | STAGE_CONSTANTS_PLACED | STAGE_CONSTANTS_SHARED |
                  STAGE_CONSTANTS_FIT | STAGE_PLACED | STAGE_SPACES_CHECKED | STAGE_NAMES_CHECKED |
                  STAGE_PARAMETERS_CHECKED | STAGE_STACK_CHECKED | STAGE_NEEDS_KNOWN,
};

/* clang-format off */
/* A row: the name, the function, when it runs, the stages that it needs and those that it makes. */
#define ROW(run, when, needs, makes, then) {run, when, needs, makes, then, #run}
#define PASS(run, when, needs, makes) ROW(run, when, needs, makes, CONTINUE)
/* The same; errors end the link after it. Passes before it report all that they find. */
#define PASS_CHECKED(run, when, needs, makes) ROW(run, when, needs, makes, STOP_ERROR)
/* The same, for errors after which nothing that is computed means anything. */
#define PASS_FATAL(run, when, needs, makes) ROW(run, when, needs, makes, STOP_FATAL)

static const struct pass PASSES[] = {
    /* The index file of unified tables: nvlink refuses it before it opens an input. */
    PASS_CHECKED(pass_read_unified_index, FOR_EVERY_LINK, 0, STAGE_INDEX_READ),

    /* Find the device code in every input, choose what is for this target, check it. */
    PASS(pass_open_inputs, FOR_EVERY_LINK, STAGE_INDEX_READ, STAGE_OPENED),
    PASS_CHECKED(pass_load, FOR_EVERY_LINK, STAGE_OPENED, STAGE_LOADED),
    PASS(pass_skip_unused_runtime, FOR_EVERY_LINK, STAGE_LOADED, STAGE_CHOSEN),
    PASS_CHECKED(pass_linked_objects, FOR_EVERY_LINK, STAGE_CHOSEN, STAGE_LISTED),
    /* From here on the set of inputs is frozen. */

    /* Names to definitions, strong and weak; conflicts between inputs; aliases of functions. */
    PASS_CHECKED(pass_resolve, FOR_OUTPUT, STAGE_CHOSEN, STAGE_RESOLVED),
    PASS_CHECKED(pass_aliases, FOR_OUTPUT, STAGE_RESOLVED, STAGE_ALIASED),
    /* From here on the definition of each name is frozen. */

    /* Who calls whom, and which functions no kernel can reach. */
    PASS(pass_callgraph_build, FOR_OUTPUT, STAGE_ALIASED, STAGE_GRAPHED),
    PASS(pass_gc, FOR_OUTPUT, STAGE_GRAPHED, STAGE_COLLECTED),
    /* From here on it is frozen which functions are kept. */

    /* Output sections and symbols in their order of creation; passes up to the addresses still add
     * sections that depend on what kernels reach. */
    PASS_CHECKED(pass_merge, FOR_OUTPUT, STAGE_COLLECTED, STAGE_MERGED),
    /* From here on the output section of each input section is frozen. */

    PASS(pass_relocatable, FOR_RELOCATABLE, STAGE_MERGED, STAGES_LEFT),

    /* Stack depths along the call graph; functions that nothing can call. */
    PASS(pass_stack, FOR_FINAL, STAGE_MERGED, STAGE_STACKED),
    PASS(pass_uncalled, FOR_FINAL, STAGE_STACKED, STAGE_CALLS_CHECKED),

    /* Addresses, memory space by memory space. */
    PASS_FATAL(pass_textures, FOR_FINAL, STAGE_CALLS_CHECKED, STAGE_TEXTURES_PLACED),
    PASS(pass_layout_global, FOR_FINAL, STAGE_MERGED, STAGE_GLOBALS_PLACED),
    PASS(pass_layout_shared, FOR_FINAL, STAGE_TEXTURES_PLACED, STAGE_SHARED_PLACED),
    PASS(pass_unused_constants, FOR_FINAL, STAGE_MERGED, STAGE_CONSTANTS_MARKED),
    PASS(pass_repack, FOR_FINAL, STAGE_CONSTANTS_MARKED, STAGE_CONSTANTS_PACKED),
    PASS(pass_layout_constant, FOR_FINAL, STAGE_SHARED_PLACED | STAGE_CONSTANTS_PACKED,
         STAGE_CONSTANTS_PLACED),
    PASS(pass_share_constants, FOR_FINAL, STAGE_CONSTANTS_PLACED, STAGE_CONSTANTS_SHARED),
    PASS(pass_deduplicate, FOR_FINAL, STAGE_CONSTANTS_SHARED, STAGE_CONSTANTS_FIT),
    PASS_FATAL(pass_unified, FOR_FINAL, STAGE_GLOBALS_PLACED | STAGE_CONSTANTS_FIT, STAGE_PLACED),
    /* From here on all addresses are frozen. */

    /* What the memory spaces can hold, undefined symbols, what kernels need of everything that they
     * reach. The order is that of nvlink's messages. */
    PASS(pass_limits, FOR_FINAL, STAGE_PLACED, STAGE_SPACES_CHECKED),
    PASS(pass_undefined, FOR_FINAL, STAGE_SPACES_CHECKED, STAGE_NAMES_CHECKED),
    PASS(pass_check_large_parameters, FOR_FINAL, STAGE_NAMES_CHECKED, STAGE_PARAMETERS_CHECKED),
    PASS(pass_report_callgraph, FOR_FINAL | FOR_CALL_GRAPH, STAGE_STACKED, 0),
    PASS(pass_stack_limits, FOR_FINAL, STAGE_PARAMETERS_CHECKED, STAGE_STACK_CHECKED),
    PASS(pass_properties, FOR_FINAL, STAGE_STACK_CHECKED, STAGE_NEEDS_KNOWN),
    PASS(pass_reserved_shared, FOR_FINAL | FOR_NO_RESERVATION, STAGE_NEEDS_KNOWN, STAGE_RESERVATION_CHECKED),
    PASS_CHECKED(pass_report, FOR_FINAL | FOR_VERBOSE, STAGE_NEEDS_KNOWN, 0),

    /* The sections about the program, then what the relocations leave. */
    PASS(pass_metadata, FOR_OUTPUT, STAGE_NEEDS_KNOWN, STAGE_DESCRIBED),
    PASS_CHECKED(pass_scan, FOR_OUTPUT, STAGE_DESCRIBED, STAGE_SCANNED),
    /* From here on all sizes but those of the file's own tables are frozen. */

    /* Indices and strings, then offsets in the file. */
    PASS(pass_symtab, FOR_OUTPUT, STAGE_SCANNED, STAGE_INDEXED),
    PASS_CHECKED(pass_filelayout, FOR_OUTPUT, STAGE_INDEXED, STAGE_READY),
    /* From here on everything is frozen; only bytes are written. */

    /* Makes the output in memory, but a large one, which waits until it is asked for. */
    PASS(pass_write_output, FOR_OUTPUT, STAGE_READY, 0),
};
/* clang-format on */

const struct pass *link_passes(size_t *count)
{
    *count = sizeof PASSES / sizeof *PASSES;
    return PASSES;
}

/* --------------------------------------------------------------------------------------------- */
/* Running it                                                                                    */

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

void link_report_pass(link_context *link, const char *name)
{
    if (link->options.pass_begins)
        link->options.pass_begins(link->options.pass_context, name);
}

/* For a virtual target the inputs are only looked at. An output that is linked again leaves
 * addresses and needs to the final link. */
static unsigned uses_of(const link_context *link)
{
    const struct warpld_options *options = &link->options;
    if (link->target_is_virtual)
        return FOR_EVERY_LINK;
    if (!options->relocatable)
        return FOR_EVERY_LINK | FOR_OUTPUT | FOR_FINAL;
    return FOR_EVERY_LINK | FOR_OUTPUT | FOR_RELOCATABLE |
           (options->call_graph ? FOR_CALL_GRAPH : 0U) |
           (options->no_shared_reservation ? FOR_NO_RESERVATION : 0U) |
           (options->verbose ? FOR_VERBOSE : 0U);
}

static void run_pass(link_context *link, const struct pass *pass)
{
    assert((link->stages & pass->needs) == pass->needs);
    link_report_pass(link, pass_name(pass));
    pass->run(link);
    link->stages |= pass->makes;
}

/* Before the inputs are opened, errors count from `errors` on. */
static bool ends_link(const link_context *link, const struct pass *pass, uint32_t errors)
{
    if (pass->then == STOP_FATAL)
        return link->diagnostics.fatals;
    return failed_since(link, link->stages & STAGE_OPENED ? 0 : errors);
}

void link_run_passes(link_context *link, const struct pass *passes, size_t count)
{
    uint32_t errors = link->diagnostics.errors;
    unsigned uses = uses_of(link);
    for (size_t i = 0; i < count; i++) {
        if (passes[i].when & uses)
            run_pass(link, &passes[i]);
        /* Errors also end the link at a pass that it does not need. */
        if (passes[i].then != CONTINUE && ends_link(link, &passes[i], errors))
            return;
    }
}

enum warpld_status link_run(link_context *link)
{
    size_t count;
    const struct pass *passes = link_passes(&count);
    if (find_target(link))
        link_run_passes(link, passes, count);
    if (link->diagnostics.fatals)
        return WARPLD_ERROR_FATAL;
    if (link->diagnostics.errors)
        return WARPLD_ERROR_LINK;
    return WARPLD_OK;
}
