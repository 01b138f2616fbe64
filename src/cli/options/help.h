/* The help: --help and --help=all. */
#ifndef WARPLD_CLI_OPTIONS_HELP_H
#define WARPLD_CLI_OPTIONS_HELP_H

#include <stdio.h>

/* Prints every option in the order of the table, as one list: the help as nvlink. */
void help_print_list(FILE *stream, const char *program);

/* Prints the options that people use first. */
void help_print_first(FILE *stream, const char *program);

/* Prints every option in groups, those without an effect last. */
void help_print_groups(FILE *stream, const char *program);

#endif
