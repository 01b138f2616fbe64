/* The help: --help and --help=all. */
#ifndef WARPLD_CLI_OPTIONS_HELP_H
#define WARPLD_CLI_OPTIONS_HELP_H

#include <stdio.h>

/* Prints all options in one list, in the order of options.def. A command that behaves as nvlink
 * prints this list. */
void help_print_list(FILE *stream, const char *program);

/* Prints the most used options. */
void help_print_first(FILE *stream, const char *program);

/* Prints all options in groups; options without an effect are in the last group. */
void help_print_groups(FILE *stream, const char *program);

#endif
