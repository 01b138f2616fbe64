/* The parameters and the exit status of a command of cubintool. */
#ifndef WARPLD_TOOL_COMMAND_COMMAND_H
#define WARPLD_TOOL_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* How the output spells names of functions and variables. */
enum tool_names {
    NAMES_BY_OUTPUT, /* text: as NAMES_READABLE; JSON and CSV: as NAMES_OF_FILE */
    NAMES_READABLE,  /* demangled */
    NAMES_OF_FILE,   /* as in the symbol table */
};

struct tool_options {
    const char *const *files;
    size_t file_count;
    const char *const *sections; /* values of --section */
    size_t section_count;
    size_t limit;             /* maximum number of rows or differences to print */
    const char *architecture; /* only images for this architecture are read; NULL: any */
    const char *member;       /* of archives, only images of this member are read; NULL: any */
    size_t image;             /* only the image with this number is read; 0: any */
    const char *output;       /* path of the file to write, or NULL */
    const char *report;       /* path of the report that the linker wrote, or NULL */
    const char *nvdisasm;     /* path of the disassembler, or NULL */
    const char *root;         /* function whose calls are shown, or NULL */
    const char *by;           /* value of --by, an option of `size` and `graph`, or NULL */
    const char *fail_if;      /* value of --fail-if: limits on growth; or NULL */
    bool json;
    bool csv;
    enum tool_names names;
    const char *sort;   /* column by which tables are sorted, or NULL */
    const char *filter; /* only rows whose name matches this pattern are shown; NULL: all */
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
