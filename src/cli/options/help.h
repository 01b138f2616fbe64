/* The help: --help and --help=all. */
#ifndef WARPLD_CLI_OPTIONS_HELP_H
#define WARPLD_CLI_OPTIONS_HELP_H

#include <stdio.h>

/* Prints every option in one list, in the order of the table. A program that is called nvlink
 * prints this list. */
void help_print_list(FILE *stream, const char *program);

/* Prints the most used options. */
void help_print_first(FILE *stream, const char *program);

/* Prints every option in groups, those without an effect last. */
void help_print_groups(FILE *stream, const char *program);

#endif
