/* The callbacks that compile; see compiler.h. */
#include "cli/compile/compiler.h"

#include <string.h>

#include "cli/compile/cache_choice.h"
#include "cli/compile/optimise.h"
#include "cli/compile/prepared.h"
#include "cli/compile/ptx.h"
#include "cli/options/line_problems.h"
#include "compile/prepared_cache.h"
#include "compile/ptx_compiler.h"

void command_compiler_report_cache(struct command_compiler *compiler)
{
    char text[sizeof compiler->remote->warning];
    if (remote_cache_take_warning(compiler->remote, text))
        compiler->job.message(compiler->job.context, PTX_MESSAGE_CACHE, text, strlen(text));
}

void command_compiler_serve(struct command_compiler *compiler, struct warpld_options *options)
{
    options->compile = command_compile;
    options->report_compiled = command_report_compiled;
    options->release_compiled = command_release_compiled;
    options->compile_context = compiler;
    command_prepared_serve(compiler, options);
    if (!line_wants_lto(compiler->line))
        return;
    options->optimise = command_optimise;
    options->release_optimised = command_release_optimised;
    options->optimise_context = compiler;
}

void command_compiler_end(struct command_compiler *compiler)
{
    ptx_job_forget_expected(&compiler->job);
    ptx_compiler_destroy(compiler->job.compiler);
    prepared_cache_close(&compiler->prepared);
}

const char *usable_cache_folder(const struct command_compiler *compiler)
{
    bool is_unusable = compiler->without_folder || compiler->prepared.has_failed;
    return is_unusable ? NULL : chosen_cache_folder(compiler->line);
}
