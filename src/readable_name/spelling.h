/* Reads a mangled name piece by piece, for readable_name.c. Names are in spell_name.c, types in
 * spell_type.c, expressions in spell_expression.c, what all need in spelling.c.
 *
 * What cannot be read ends in a failure, after which nothing that was read counts; the caller then
 * shows the name as it is. A short name can stand for a text of any length, by references to parts
 * of itself, and be nested to any depth: both end in a failure, too. */
#ifndef WARPLD_READABLE_NAME_SPELLING_H
#define WARPLD_READABLE_NAME_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A type, or the beginning of a qualified name. What is declared stands between left and right. */
struct spelling {
    const char *left;
    const char *right;
    bool blank; /* one stands between it and a * or & */
};

struct speller {
    struct arena *arena;
    const char *next;
    size_t text_size; /* of all texts made so far */
    size_t most_text; /* more of it is a failure */
    unsigned depth;
    bool failed;
    bool in_conversion; /* arguments behind a type are those of the operator */
    GROWING_ARRAY(struct spelling, substitutions);
};

/* What is known of a name besides its text. */
struct spelled_name {
    const char *text;
    const char *qualifiers; /* " const", of a member function */
    const char *kind;       /* " [subobject]", of a constructor or destructor */
    bool has_arguments;     /* ends with template arguments */
    bool has_no_result;     /* constructors, destructors and conversions */
};

/* Formats a text, within bounds. */
const char *spell_text(struct speller *speller, const char *format, ...);

bool spell_accept(struct speller *speller, const char *part);

/* False, and a failure, when it is nested too deep; to be left again. */
bool spell_enter(struct speller *speller);
void spell_leave(struct speller *speller);

void spell_fail(struct speller *speller);
void spell_remember(struct speller *speller, struct spelling spelling);

/* Digits, or 0. */
size_t spell_number(struct speller *speller);

/* "S_", "S0_", "Sa", ...: behind the S. */
struct spelling spell_substitution(struct speller *speller);

/* A name with its length in front, as it is shown; NULL for a namespace that is not shown. */
const char *spell_source_name(struct speller *speller);

/* A constant of a template, "(int)3", behind the L. */
const char *spell_literal(struct speller *speller);

/* The mark of an operator, "+"; NULL, and nothing is read, if there is none. */
const char *spell_operator(struct speller *speller);

const char *spell_expression(struct speller *speller);

/* "decltype(name)", or of the value of an expression "decltype((a+b))", behind the letters. */
const char *spell_decltype(struct speller *speller, bool is_value);

/* Template arguments behind the I, with the angle brackets. */
const char *spell_arguments(struct speller *speller);

struct spelling spell_type(struct speller *speller);

/* "T_", behind the T. */
struct spelling spell_template_parameter(struct speller *speller);

/* What stands between the two sides of a function or array without a name. */
const char *spell_blank(const struct spelling *type);

/* Types up to the end of the name or an E, with the parentheses. */
const char *spell_parameters(struct speller *speller);

struct spelled_name spell_name(struct speller *speller);

/* The class whose member an expression names, behind the N: nothing can refer to its parts later
 * (observed with names of thrust). */
const char *spell_scope(struct speller *speller);

/* A function with its parameters, or a variable. */
const char *spell_encoding(struct speller *speller);

/* The name alone. */
const char *spell_encoded_name(struct speller *speller);

#endif
