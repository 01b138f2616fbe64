/* Prepared inputs of the command's link. An earlier link unpacked them and stored the results in
 * the cache folder, so that this link need not unpack them again. */
#ifndef WARPLD_CLI_COMPILE_PREPARED_H
#define WARPLD_CLI_COMPILE_PREPARED_H

#include "cli/compile/compiler.h"
#include "warpld.h"

/* Lets a link use and store prepared inputs, if the command line or the environment chooses a cache
 * folder. */
void command_prepared_serve(struct command_compiler *compiler, struct warpld_options *options);

#endif
