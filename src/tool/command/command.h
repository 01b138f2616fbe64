/* The parameters and the exit status of a command of cubintool. */
#ifndef WARPLD_TOOL_COMMAND_COMMAND_H
#define WARPLD_TOOL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* How names are spelled. */
enum tool_names {
    NAMES_BY_OUTPUT, /* readable names in text; in JSON and CSV the names of the file */
    NAMES_READABLE,
    NAMES_OF_FILE,
};

struct tool_options {
    const char *const *files;
    size_t file_count;
    const char *const *sections; /* named by --section */
    size_t section_count;
    size_t limit;             /* number of rows or differences to print */
    const char *architecture; /* of the images to take, or NULL */
    const char *member;       /* archive member that holds the images, or NULL */
    size_t image;             /* number of the image to take; 0: any */
    const char *output;       /* file to write, or NULL */
    const char *report;       /* path of the linker's report about the link, or NULL */
    const char *nvdisasm;     /* program to disassemble with, or NULL */
    const char *root;         /* function whose calls are shown, or NULL */
    const char *by;           /* value of --by of size or graph, or NULL */
    const char *fail_if;      /* limits on growth, or NULL */
    bool json;
    bool csv;
    enum tool_names names;
    const char *sort;   /* column by which tables are sorted, or NULL */
    const char *filter; /* pattern of the names to show, or NULL */
    bool dot;
    bool raw;
    bool strict;
    bool bytes;
    bool help;
};

enum tool_exit { TOOL_EXIT_OK = 0, TOOL_EXIT_FOUND = 1, TOOL_EXIT_UNUSABLE = 2 };

static inline bool tool_shows_readable_names(const struct tool_options *options)
{
    if (options->names != NAMES_BY_OUTPUT)
        return options->names == NAMES_READABLE;
    return !options->json && !options->csv;
}

typedef int tool_command_function(const struct tool_options *options);

#endif
