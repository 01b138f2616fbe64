/* The passes of a link, in order. Start reading here, then model/link_context.h, then any pass. */
#include "link/link.h"

#include <assert.h>

#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "link/frozen.h"
#include "link/image/image_passes.h"
#include "link/input/input_passes.h"
#include "link/input/input_targets.h"
#include "link/layout/layout_passes.h"
#include "link/lto/lto_passes.h"
#include "link/merge/merge_passes.h"
#include "link/relocate/relocate_passes.h"
#include "link/resolve/resolve_passes.h"
#include "link/resources/resources_passes.h"
#include "link/write/write_passes.h"
#include "link/write/write_state.h"

/* --------------------------------------------------------------------------------------------- */
/* The list                                                                                      */

/* clang-format off */
/* A row: the function of the pass, the links in which it runs, the stages that it needs, the stage
 * that it makes, what it freezes, and which messages end the link after it. */
#define ROW(run, when, needs, makes, freezes, then) \
    {run, when, needs, NEED(makes), freezes, then, #run}
#define NEED(stage) ((link_stages)1 << STAGE_##stage)
#define FREEZE(thing) (1U << FROZEN_##thing)
#define PASS(run, when, needs, makes, freezes) ROW(run, when, needs, makes, freezes, CONTINUE)
/* Ends the link after the pass if this pass or an earlier one has reported an error. A PASS row
 * lets the link continue after errors, so that one run reports as many errors as possible. */
#define PASS_CHECKED(run, when, needs, makes, freezes) \
    ROW(run, when, needs, makes, freezes, STOP_ERROR)
/* Ends the link after the pass only if a fatal message was reported. Such a message means that no
 * later result would be meaningful. */
#define PASS_FATAL(run, when, needs, makes, freezes) \
    ROW(run, when, needs, makes, freezes, STOP_FATAL)

static const struct pass PASSES[] = {
    /* Read the index file of unified tables: nvlink refuses a bad one before it opens an input. */
    PASS_CHECKED(pass_read_unified_index, FOR_EVERY_LINK, 0, INDEX_READ, 0),

    /* Find the device code in every input, choose the code for the target, check it. Optimise
     * LTO-IR. Leave out the unused device runtime. List the objects that host code must register.
     */
    PASS(pass_open_inputs, FOR_EVERY_LINK, NEED(INDEX_READ), OPENED, 0),
    PASS_CHECKED(pass_load, FOR_EVERY_LINK, NEED(OPENED), LOADED, 0),
    PASS_CHECKED(pass_optimise, FOR_EVERY_LINK, NEED(LOADED), OPTIMISED, 0),
    PASS(pass_skip_unused_runtime, FOR_EVERY_LINK,
         NEED(LOADED) | NEED(OPTIMISED), CHOSEN, FREEZE(INPUTS)),
    PASS_CHECKED(pass_linked_objects, FOR_EVERY_LINK, NEED(CHOSEN), LISTED, 0),

    /* Choose the definition of each name, report conflicts between inputs, resolve aliases of
     * functions. */
    PASS_CHECKED(pass_resolve, FOR_OUTPUT,
                 NEED(CHOSEN) | NEED(LISTED), RESOLVED, FREEZE(DEFINITIONS)),
    PASS_CHECKED(pass_aliases, FOR_OUTPUT, NEED(RESOLVED), ALIASED, FREEZE(ALIASES)),

    /* Find who calls whom, and which functions no kernel can reach. Check the code of prepared
     * inputs. */
    PASS(pass_callgraph_build, FOR_OUTPUT, NEED(RESOLVED), GRAPHED, FREEZE(CALL_GRAPH)),
    PASS(pass_gc, FOR_OUTPUT, NEED(ALIASED) | NEED(GRAPHED), COLLECTED, FREEZE(KEPT)),
    PASS_FATAL(pass_check_prepared, FOR_OUTPUT, NEED(COLLECTED), CODE_CHECKED, 0),

    /* Create output sections and symbols. Their order of creation matters. Layout passes and
     * pass_metadata add further sections. */
    PASS_CHECKED(pass_merge, FOR_OUTPUT, NEED(CODE_CHECKED), MERGED, FREEZE(SECTIONS)),

    PASS(pass_relocatable, FOR_RELOCATABLE, NEED(MERGED), RELINKABLE, 0),

    /* Compute stack depths along the call graph. Warn about functions that nothing can call. */
    PASS(pass_stack, FOR_FINAL, NEED(MERGED), STACKED, 0),
    PASS(pass_uncalled, FOR_FINAL, NEED(COLLECTED) | NEED(STACKED), CALLS_CHECKED, 0),

    /* Assign addresses, one memory space after the other. */
    PASS_FATAL(pass_textures, FOR_FINAL,
               NEED(MERGED) | NEED(CALLS_CHECKED), TEXTURES_PLACED, FREEZE(SLOTS)),
    PASS(pass_layout_global, FOR_FINAL, NEED(MERGED), GLOBALS_PLACED, FREEZE(GLOBAL)),
    PASS(pass_layout_shared, FOR_FINAL,
         NEED(MERGED) | NEED(TEXTURES_PLACED), SHARED_PLACED, FREEZE(SHARED)),
    PASS(pass_unused_constants, FOR_FINAL, NEED(MERGED), CONSTANTS_MARKED, 0),
    PASS(pass_repack, FOR_FINAL, NEED(MERGED) | NEED(CONSTANTS_MARKED), CONSTANTS_PACKED, 0),
    PASS(pass_layout_constant, FOR_FINAL,
         NEED(TEXTURES_PLACED) | NEED(CONSTANTS_PACKED), CONSTANTS_PLACED, 0),
    PASS(pass_share_constants, FOR_FINAL,
         NEED(CONSTANTS_MARKED) | NEED(CONSTANTS_PLACED), CONSTANTS_SHARED, 0),
    PASS(pass_deduplicate, FOR_FINAL,
         NEED(CONSTANTS_PLACED) | NEED(CONSTANTS_SHARED), CONSTANTS_FIT, FREEZE(CONSTANTS)),
    PASS_FATAL(pass_unified, FOR_FINAL,
               NEED(MERGED) | NEED(SHARED_PLACED), UNIFIED_PLACED, FREEZE(UNIFIED)),

    /* Check the sizes of memory spaces, and report undefined symbols. Then compute the resources of
     * each kernel, which include those of the functions that it reaches. The order of these checks
     * is the order of nvlink's messages. */
    PASS(pass_limits, FOR_OUTPUT,
         NEED(RELINKABLE) | NEED(TEXTURES_PLACED) | NEED(GLOBALS_PLACED) | NEED(SHARED_PLACED) |
         NEED(CONSTANTS_FIT) | NEED(UNIFIED_PLACED), SPACES_CHECKED, FREEZE(MEMORY_SIZES)),
    PASS(pass_undefined, FOR_FINAL, NEED(MERGED) | NEED(SPACES_CHECKED), NAMES_CHECKED, 0),
    PASS(pass_check_large_parameters, FOR_FINAL,
         NEED(MERGED) | NEED(NAMES_CHECKED), PARAMETERS_CHECKED, 0),
    PASS(pass_report_callgraph, FOR_FINAL | FOR_CALL_GRAPH,
         NEED(MERGED) | NEED(PARAMETERS_CHECKED), GRAPH_REPORTED, 0),
    PASS(pass_stack_limits, FOR_FINAL, NEED(STACKED) | NEED(GRAPH_REPORTED), STACK_CHECKED, 0),
    PASS(pass_properties, FOR_FINAL, NEED(STACKED) | NEED(STACK_CHECKED), NEEDS_KNOWN, 0),
    PASS(pass_reserved_shared, FOR_FINAL | FOR_NO_RESERVATION,
         NEED(NEEDS_KNOWN), RESERVATION_CHECKED, 0),
    PASS_CHECKED(pass_report, FOR_FINAL | FOR_VERBOSE,
                 NEED(RELINKABLE) | NEED(STACKED) | NEED(NEEDS_KNOWN) | NEED(RESERVATION_CHECKED),
                 REPORTED, 0),

    /* Create the sections that describe the program, then decide which relocations are resolved. */
    PASS(pass_metadata, FOR_OUTPUT,
         NEED(MERGED) | NEED(SHARED_PLACED) | NEED(CONSTANTS_PLACED), DESCRIBED,
         FREEZE(DESCRIPTION)),
    PASS_CHECKED(pass_scan, FOR_OUTPUT,
                 NEED(RELINKABLE) | NEED(NEEDS_KNOWN) | NEED(REPORTED) | NEED(DESCRIBED), SCANNED,
                 FREEZE(RELOCATIONS)),

    /* Assign indices and strings, then offsets in the file. */
    PASS(pass_symtab, FOR_OUTPUT,
         NEED(RELINKABLE) | NEED(DESCRIBED) | NEED(SCANNED), INDEXED, FREEZE(INDICES)),
    PASS_CHECKED(pass_filelayout, FOR_OUTPUT, NEED(INDEXED), READY, FREEZE(OFFSETS)),

    /* Make the output in memory. A large output is made later, when the caller asks for it. */
    PASS(pass_write_output, FOR_OUTPUT, NEED(READY), WRITTEN, 0),
};
/* clang-format on */

const struct pass *link_passes(size_t *count)
{
    *count = sizeof PASSES / sizeof *PASSES;
    return PASSES;
}

/* --------------------------------------------------------------------------------------------- */
/* Running the link */

/* Returns true if outputs for the target can have the ABI version that the caller asks for. The
 * usual version of CUDA 12 is 7. It is refused for targets from sm_100 on, because CUDA 12 writes
 * version 8 for them (ptxas 12.9). */
static bool has_output_abi(const link_context *link)
{
    unsigned abi = link->options.output_abi;
    if (abi == ABIVERSION_CUDA)
        return !architecture_is_of_cuda_12(link->target);
    return !abi || (abi == ABIVERSION_CUDA_12 && !link_has_mercury(link));
}

/* Returns true after a fatal message, or if errors were reported since there were `errors` errors.
 * Earlier errors come from the library search, which reports them with -Werror. load.c decides
 * whether these end the link. */
static bool failed_since(const link_context *link, uint32_t errors)
{
    return link->diagnostics.fatals || link->diagnostics.errors != errors;
}

static void report_no_target(link_context *link, const char *name)
{
    if (name || link->options.as_nvlink)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_UNKNOWN_ARCHITECTURE, NULL, NULL,
                          name ? name : "(null)");
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_NO_TARGET, NULL, NULL);
    input_targets_report(link);
}

static bool find_target(link_context *link)
{
    uint32_t errors = link->diagnostics.errors;
    const char *name = link->options.architecture;
    link_set_target(link);
    if (!link->target)
        report_no_target(link, name);
    else if (!link->target_is_virtual && !has_output_abi(link))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_OUTPUT_ABI, NULL, NULL,
                          link->options.output_abi, name);
    else if (link->options.preserve_relocations && link->target->number >= 90)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_PRESERVE_INCOMPLETE, NULL, NULL, name);
    return !failed_since(link, errors);
}

bool link_is_cancelled(link_context *link)
{
    if (!link->options.poll || !link->options.poll(link->options.poll_context))
        return false;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_CANCELLED, NULL, NULL);
    return link->is_cancelled = true;
}

void link_report_pass(link_context *link, const char *name)
{
    if (link->options.pass_begins)
        link->options.pass_begins(link->options.pass_context, name);
}

/* Returns the kind of the link, as bits of enum pass_use. A link for a virtual target only reads
 * its inputs. A relocatable link leaves addresses and the resources of kernels to the final link.
 */
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

/* Returns true if the link ends after the pass. Two kinds of errors do not end it: the first
 * `errors` errors, and undefined symbols if the caller asked for an output in spite of them. */
static bool ends_link(const link_context *link, const struct pass *pass, uint32_t errors)
{
    return link->diagnostics.fatals ||
           (pass->then == STOP_ERROR &&
            link->diagnostics.errors != errors + link->tolerated_errors);
}

static void take_finished(link_context *link)
{
    link->write->result = link->finished;
    link->output.size = link->finished.size;
    link->progress = PROGRESS_WRITTEN;
}

/* Runs those passes of the list that the link needs, until one ends the link. Each pass requires
 * that the stages it relies on are complete. The stage of a skipped pass counts as complete, and
 * errors end the link after a skipped pass as if it had run. */
void link_run_passes(link_context *link, const struct pass *passes, size_t count)
{
    uint32_t errors = link->diagnostics.errors;
    unsigned uses = uses_of(link);
    bool is_measured = link->options.pass_begins;
    link_stages done = 0;
    (void)done; /* without assertions nothing reads it */
#ifdef WARPLD_CHECK_FROZEN
    struct fingerprints prints = {0};
#endif
    for (const struct pass *pass = passes; pass < passes + count; pass++) {
        if (pass->when & uses) {
            assert((done & pass->needs) == pass->needs);
            if (link_is_cancelled(link))
                return;
            if (is_measured)
                link_report_pass(link, name_of_pass(pass));
            pass->run(link);
        }
#ifdef WARPLD_CHECK_FROZEN
        fingerprints_update(&prints, link, pass->function, pass->when & uses ? pass->freezes : 0);
#endif
        done |= pass->makes;
        if (link->finished.data) {
            take_finished(link);
            return;
        }
        if (pass->then == CONTINUE)
            continue;
        if (ends_link(link, pass, errors))
            return;
        /* Errors that were reported before this function was called, such as those of the search
         * for libraries, do not end the link after the first checked pass, but after the next one.
         */
        errors = 0;
    }
}

enum warpld_status link_status(const link_context *link)
{
    if (link->diagnostics.fatals)
        return WARPLD_ERROR_FATAL;
    return link->diagnostics.errors ? WARPLD_ERROR_LINK : WARPLD_OK;
}

enum warpld_status link_run_with(link_context *link, const struct pass *passes, size_t count)
{
    if (find_target(link))
        link_run_passes(link, passes, count);
    return link->is_cancelled ? WARPLD_ERROR_CANCELLED : link_status(link);
}

enum warpld_status link_run(link_context *link)
{
    return link_run_with(link, PASSES, sizeof PASSES / sizeof *PASSES);
}
