/* The cache folder that the command line or the environment chooses. */
#ifndef WARPLD_CLI_COMPILE_CACHE_CHOICE_H
#define WARPLD_CLI_COMPILE_CACHE_CHOICE_H

#include <stdint.h>

#include "cli/options/options.h"

/* The chosen folder; NULL or an empty text if none is chosen. */
const char *chosen_cache_folder(const struct command_line *line);

/* The size limit of the cache folder in bytes; 0 stands for the default limit. */
uint64_t chosen_cache_limit(const struct command_line *line);

#endif
