/* Definitions in inputs whose device code cannot be linked: objects compiled without -rdc=true,
 * shared libraries, host code. */
#ifndef WARPLD_LINK_NOTES_UNLINKABLE_CODE_H
#define WARPLD_LINK_NOTES_UNLINKABLE_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct input_file;
struct symbol;
struct warpld_link;

enum unlinkable_kind { CODE_OF_HOST, CODE_OF_SHARED_LIBRARY, CODE_WITHOUT_RDC };

/* The first definition of the kind that explains most; kinds are listed from the one that explains
 * least. input NULL: none. */
struct unlinkable_definition {
    const char *input; /* "libx.a:y.o" of an archive's member */
    enum unlinkable_kind kind;
};

/* Searches the inputs for definitions of undefined symbols. by_number: zeroed; the element of a
 * symbol is at its undefined_number - 1. */
void unlinkable_code_search(struct warpld_link *link, struct unlinkable_definition *by_number);

/* Whether the file is a host object with device code that is linked already (compiled without
 * -rdc=true), so that no other link can use it. */
bool unlinkable_code_is_in(const struct input_file *file);

void unlinkable_code_report(struct warpld_link *link, const struct symbol *symbol,
                            const struct unlinkable_definition *definition);

#endif
