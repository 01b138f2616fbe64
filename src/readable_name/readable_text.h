/* Replaces the mangled names that a text quotes. */
#ifndef WARPLD_READABLE_NAME_READABLE_TEXT_H
#define WARPLD_READABLE_NAME_READABLE_TEXT_H

#include <stdbool.h>

struct readable_names;

/* Returns the text with each mangled name replaced by its readable form: names of C++ and Rust, and
 * those that nvcc gives to static kernels. Other words are unchanged, and so are names with a dot
 * in them, which could be names of files. The result is in the arena of the names, or is
 * `whole_text` itself. */
const char *readable_text(struct readable_names *names, const char *whole_text);

/* Returns true if the name looks like a mangled name. readable_text replaces these names, except
 * those that have no readable form. */
bool readable_text_replaces(const char *name);

#endif
