/* A parser of mangled names, for readable_name.c. Names are in spell_name.c, types in spell_type.c,
 * expressions in spell_expression.c, shared functions in spelling.c.
 *
 * A name that cannot be parsed sets `failed`; the results are then meaningless, and the caller
 * shows the mangled name. A short name can expand to a text of any length, by references to its own
 * parts, and be nested to any depth: the limits on both set `failed`, too. */
#ifndef WARPLD_READABLE_NAME_SPELLING_H
#define WARPLD_READABLE_NAME_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The text for a type, or for a prefix of a qualified name. If the type declares a name, the name
 * is between `left` and `right`. */
struct spelling {
    const char *left;
    const char *right;
    bool blank; /* a * or & after `left` is separated by a blank */
};

struct speller {
    struct arena *arena;
    const char *next;
    size_t text_size; /* size of all texts that spell_text has made */
    size_t most_text; /* limit of text_size */
    unsigned depth;
    bool failed;
    /* The parser is in the type of a conversion operator. Template arguments that follow this type
     * belong to the operator, not to the type. */
    bool in_conversion;
    GROWING_ARRAY(struct spelling, substitutions);
};

/* A name and its properties. */
struct spelled_name {
    const char *text;
    const char *qualifiers; /* of a member function, such as " const"; "" if there are none */
    const char *kind;       /* of a constructor or destructor, such as " [subobject]"; else "" */
    bool has_arguments;     /* ends with template arguments */
    bool has_no_result; /* the name has no result type: a constructor, destructor or conversion */
};

/* Formats a text. Fails if the sum of all texts exceeds most_text. */
const char *spell_text(struct speller *speller, const char *format, ...);

/* Skips `part` and returns true if the rest of the name begins with it. */
bool spell_accept(struct speller *speller, const char *part);

/* Enters a level of nesting. Fails and returns false if there are too many. Each call must be
 * followed by spell_leave. */
bool spell_enter(struct speller *speller);
void spell_leave(struct speller *speller);

void spell_fail(struct speller *speller);

/* Adds a part of the name to those that a later substitution can refer to. */
void spell_remember(struct speller *speller, struct spelling spelling);

/* Each of the following functions parses one construct and returns how it is shown. "After the S"
 * means that the caller has already skipped the S. */

/* A decimal number; 0 if there are no digits. */
size_t spell_number(struct speller *speller);

/* "S_", "S0_", "Sa", ..., after the S. */
struct spelling spell_substitution(struct speller *speller);

/* A name preceded by its length; NULL for a namespace that is not shown. */
const char *spell_source_name(struct speller *speller);

/* A constant in template arguments, shown as "(int)3", after the L. */
const char *spell_literal(struct speller *speller);

/* The symbol of an operator, such as "+"; NULL if there is none. */
const char *spell_operator(struct speller *speller);

const char *spell_expression(struct speller *speller);

/* "decltype(name)", or for the value of an expression "decltype((a+b))", after DT or Dt. */
const char *spell_decltype(struct speller *speller, bool is_value);

/* Template arguments after the I, shown with the angle brackets. */
const char *spell_arguments(struct speller *speller);

struct spelling spell_type(struct speller *speller);

/* "T_", after the T. */
struct spelling spell_template_parameter(struct speller *speller);

/* The blank between the left and the right part of the type of a function or array, if no name is
 * between them; "" for other types. */
const char *spell_blank(const struct spelling *type);

/* Types up to the end of the name or an E, shown with the parentheses. */
const char *spell_parameters(struct speller *speller);

struct spelled_name spell_name(struct speller *speller);

/* The class (after the N) of a member that an expression names. Its parts are not remembered for
 * substitutions (observed with names of thrust). */
const char *spell_scope(struct speller *speller);

/* A function with its parameters, or a variable. */
const char *spell_encoding(struct speller *speller);

/* As spell_encoding, but without the parameters. */
const char *spell_encoded_name(struct speller *speller);

#endif
