/* The functions that a PTX text of NVIDIA's optimiser declares or defines. */
#ifndef WARPLD_BASE_PTX_FUNCTIONS_H
#define WARPLD_BASE_PTX_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum ptx_linkage { PTX_LOCAL, PTX_VISIBLE, PTX_WEAK, PTX_EXTERN };

struct ptx_function {
    enum ptx_linkage linkage;
    bool is_kernel;
    const char *name; /* in the text, not ended by a NUL */
    size_t name_size;
};

/* Describes the function whose directive begins the line. Returns false if the line begins with no
 * directive of a function. */
bool ptx_function_in_line(const char *line, struct ptx_function *function);

/* Describes the first function whose directive begins in a line at or after `text`, which ends in a
 * NUL. Returns the text after the function's name, or NULL if there is no function. A function that
 * is declared first and defined later is found twice. */
const char *ptx_next_function(const char *text, struct ptx_function *function);

/* Whether the text, which ends in a NUL, needs functions that it does not define, other than system
 * functions. */
bool ptx_needs_functions(const char *text);

#endif
