/* Prepared inputs of the command's link; see prepared.h. */
#include "cli/compile/prepared.h"

#include <string.h>

#include "cli/compile/cache_choice.h"
#include "cli/options/options.h"
#include "compile/prepared_cache.h"
#include "compile/ptx_compiler.h"

static void warn(void *context, const char *text)
{
    const struct command_compiler *compiler = context;
    compiler->job.message(compiler->job.context, PTX_MESSAGE_CACHE, text, strlen(text));
}

void command_prepared_serve(struct command_compiler *compiler, struct warpld_options *options)
{
    const char *folder = chosen_cache_folder(compiler->line);
    uint64_t limit = chosen_cache_limit(compiler->line);
    if (!folder || !*folder || command_line_given(compiler->line, OPTION_NO_CACHE))
        return;
    compiler->prepared = (struct prepared_cache){
        .arena = compiler->arena,
        .path = folder,
        .limit = limit ? limit : PTX_CACHE_LIMIT,
        .warn = warn,
        .warn_context = compiler,
    };
    options->find_prepared = prepared_cache_find;
    options->check_prepared = prepared_cache_check;
    options->keep_prepared = prepared_cache_keep;
    options->prepared_context = &compiler->prepared;
}
