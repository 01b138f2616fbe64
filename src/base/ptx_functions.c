/* Functions of a PTX text; see ptx_functions.h.
 *
 * The optimisers of nvlink 13.0.88 and of nvJitLink 12.0 to 13.5 begin each function on its own
 * line, with its linkage before it:
 *
 *     .weak .func  (.param .b32 func_retval0) _Z5scalef
 *     .visible .entry _Z6kernelPf( */
#include "base/ptx_functions.h"

#include <string.h>

#include "base/system_functions.h"

/* The characters that end a name. */
static const char NAME_END[] = " \t\r\n(;{";

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Whether the text begins with the directive. If it does, sets *rest to the text that follows the
 * directive, without the blanks between them. */
static bool takes(const char *text, const char *directive, const char **rest)
{
    size_t size = strlen(directive);
    if (strncmp(text, directive, size) != 0 || !strchr(NAME_END, text[size]))
        return false;
    *rest = after_blanks(text + size);
    return true;
}

/* Returns the text after the linkage directive, or the whole line if it begins with none. */
static const char *take_linkage(const char *line, enum ptx_linkage *linkage)
{
    static const char *const DIRECTIVES[] = {
        [PTX_VISIBLE] = ".visible", [PTX_WEAK] = ".weak", [PTX_EXTERN] = ".extern"};
    const char *rest = line;
    *linkage = PTX_LOCAL;
    for (int i = PTX_VISIBLE; i <= PTX_EXTERN; i++)
        if (takes(line, DIRECTIVES[i], &rest))
            *linkage = (enum ptx_linkage)i;
    return rest;
}

/* If the function has a result, its declaration is in parentheses before the name, and is
 * skipped. */
bool ptx_function_in_line(const char *line, struct ptx_function *function)
{
    if (*line != '.')
        return false;
    const char *text = take_linkage(line, &function->linkage);
    function->is_kernel = takes(text, ".entry", &text);
    if (!function->is_kernel && !takes(text, ".func", &text))
        return false;
    if (*text == '(')
        text += strcspn(text, ")");
    if (*text == ')')
        text = after_blanks(text + 1);
    function->name = text;
    function->name_size = strcspn(text, NAME_END);
    return function->name_size;
}

const char *ptx_next_function(const char *text, struct ptx_function *function)
{
    for (;;) {
        if (ptx_function_in_line(text, function))
            return function->name + function->name_size;
        text = strchr(text, '\n');
        if (!text)
            return NULL;
        text++;
    }
}

/* Returns true if the driver defines the function. A name that does not fit the buffer is cut: all
 * names and prefixes in system_functions.def are shorter than the buffer. */
static bool is_of_driver(const struct ptx_function *function)
{
    char name[64];
    size_t size = function->name_size < sizeof name ? function->name_size : sizeof name - 1;
    memcpy(name, function->name, size);
    name[size] = 0;
    return system_function(name);
}

bool ptx_needs_functions(const char *text)
{
    struct ptx_function function;
    while ((text = ptx_next_function(text, &function)))
        if (function.linkage == PTX_EXTERN && !is_of_driver(&function))
            return true;
    return false;
}
