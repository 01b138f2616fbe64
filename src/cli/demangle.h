/* The parts of readable_name.c: reading a mangled name piece by piece.
 *
 * What cannot be read ends in a failure, after which nothing that was read counts; the caller then
 * shows the name as it is. A short name can stand for a text of any length, by references to parts
 * of itself, and be nested to any depth: both end in a failure, too. */
#ifndef WARPLD_CLI_DEMANGLE_H
#define WARPLD_CLI_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A type, or the beginning of a qualified name. What is declared stands between left and right. */
struct spelling {
    const char *left;
    const char *right;
    bool blank; /* one stands between it and a * or & */
};

struct demangler {
    struct arena *arena;
    const char *next;
    size_t text_size; /* of all texts made so far */
    unsigned depth;
    bool failed;
    bool in_conversion; /* arguments behind a type are those of the operator */
    GROWING_ARRAY(struct spelling, substitutions);
};

/* What is known of a name besides its text. */
struct demangled_name {
    const char *text;
    const char *qualifiers; /* " const", of a member function */
    const char *kind;       /* " [subobject]", of a constructor or destructor */
    bool has_arguments;     /* ends with template arguments */
    bool has_no_result;     /* constructors, destructors and conversions */
};

/* Formats a text, within bounds. */
const char *demangle_text(struct demangler *demangler, const char *format, ...);

bool demangle_accept(struct demangler *demangler, const char *part);

/* False, and a failure, when it is nested too deep; to be left again. */
bool demangle_enter(struct demangler *demangler);
void demangle_leave(struct demangler *demangler);

void demangle_fail(struct demangler *demangler);
void demangle_remember(struct demangler *demangler, struct spelling spelling);

/* Digits, or 0. */
size_t demangle_number(struct demangler *demangler);

/* "S_", "S0_", "Sa", ...: behind the S. */
struct spelling demangle_substitution(struct demangler *demangler);

/* A name with its length in front, as it is shown; NULL for a namespace that is not shown. */
const char *demangle_source_name(struct demangler *demangler);

/* Template arguments behind the I, with the angle brackets. */
const char *demangle_arguments(struct demangler *demangler);

struct spelling demangle_type(struct demangler *demangler);

/* "T_", behind the T. */
struct spelling demangle_template_parameter(struct demangler *demangler);

/* Types up to the end of the name or an E, with the parentheses. */
const char *demangle_parameters(struct demangler *demangler);

struct demangled_name demangle_name(struct demangler *demangler);

/* A function with its parameters, or a variable. */
const char *demangle_encoding(struct demangler *demangler);

#endif
