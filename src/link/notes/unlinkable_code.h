/* Finds definitions of undefined symbols in inputs whose device code cannot be linked: in objects
 * that were compiled without -rdc=true, in shared libraries, in LTO-IR for other targets, and in
 * host code. */
#ifndef WARPLD_LINK_NOTES_UNLINKABLE_CODE_H
#define WARPLD_LINK_NOTES_UNLINKABLE_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct input_file;
struct symbol;
struct warpld_link;

enum unlinkable_kind { CODE_OF_HOST, CODE_IN_LTO_IR, CODE_OF_SHARED_LIBRARY, CODE_WITHOUT_RDC };

/* A definition of an undefined symbol. If several are found, one that best explains the error is
 * chosen. `enum unlinkable_kind` lists the kinds from the worst explanation to the best. Of several
 * definitions of the same kind, the first is chosen. */
struct unlinkable_definition {
    const char *input;   /* name of the input, such as "libx.a:y.o"; NULL: no definition found */
    const char *targets; /* targets of LTO-IR, such as "lto_80, lto_90"; NULL for other code */
    enum unlinkable_kind kind;
};

/* Searches the inputs for definitions of undefined symbols. `by_number` has one element for each
 * undefined symbol, at the index undefined_number - 1 (struct rare_symbol). It must be zeroed. */
void unlinkable_code_search(struct warpld_link *link, struct unlinkable_definition *by_number);

/* Whether the file is a host object whose device code is linked already, because it was compiled
 * without -rdc=true. No other link can use that code. */
bool unlinkable_code_is_in(const struct input_file *file);

void unlinkable_code_report(struct warpld_link *link, const struct symbol *symbol,
                            const struct unlinkable_definition *definition);

#endif
