/* A parser of mangled names, for readable_name.c. Names are in spell_name.c, types in spell_type.c,
 * expressions in spell_expression.c, shared functions in spelling.c.
 *
 * If a name cannot be parsed, `failed` is set. The results are then meaningless, and the caller
 * shows the mangled name. The parser limits the text and the nesting: a short name can expand to a
 * text of any length, by references to its own parts, and can be nested to any depth. A name that
 * exceeds a limit sets `failed`, too. */
#ifndef WARPLD_READABLE_NAME_SPELLING_H
#define WARPLD_READABLE_NAME_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The text for a type, or for a prefix of a qualified name. The name of a variable of the type is
 * put between `left` and `right`, as in "int (*" and ")(float)". */
struct spelling {
    const char *left;
    const char *right;
    bool blank; /* a blank must separate `left` from a * or & that follows */
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
    const char *qualifiers; /* those of a member function, such as " const", or "" */
    const char *kind;       /* kind of constructor or destructor, such as " [subobject]", or "" */
    bool has_arguments;     /* the name ends with template arguments */
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

/* Stores a part of the name, because a later substitution can refer to it. */
void spell_remember(struct speller *speller, struct spelling spelling);

/* Each of the following functions parses one construct and returns its text. "After the S" means
 * that the caller has already skipped the S. */

/* Parses a decimal number. Returns 0 if there are no digits. */
size_t spell_number(struct speller *speller);

/* Parses a substitution ("S_", "S0_", "Sa", ...), after the S. */
struct spelling spell_substitution(struct speller *speller);

/* Parses a name preceded by its length. Returns NULL for a namespace that is not shown. */
const char *spell_source_name(struct speller *speller);

/* Parses a constant in template arguments, after the L. It is shown as "(int)3". */
const char *spell_literal(struct speller *speller);

/* Parses an operator. Returns its symbol, such as "+", or NULL if no operator follows. */
const char *spell_operator(struct speller *speller);

const char *spell_expression(struct speller *speller);

/* Parses a decltype, after DT or Dt. It is shown as "decltype(name)", or as "decltype((a+b))" for
 * the value of an expression. */
const char *spell_decltype(struct speller *speller, bool is_value);

/* Parses template arguments, after the I. They are shown with the angle brackets. */
const char *spell_arguments(struct speller *speller);

struct spelling spell_type(struct speller *speller);

/* Parses a template parameter ("T_", "T0_", ...), after the T. */
struct spelling spell_template_parameter(struct speller *speller);

/* Returns the blank between the left and the right part of the type of a function or array if no
 * name is between them, and "" for other types. */
const char *spell_blank(const struct spelling *type);

/* Parses types up to the end of the name or an E. They are shown with the parentheses. */
const char *spell_parameters(struct speller *speller);

struct spelled_name spell_name(struct speller *speller);

/* Parses the class of a member that an expression names, after the N. The parts of the class are
 * not stored for substitutions (observed with names of thrust). */
const char *spell_scope(struct speller *speller);

/* Parses a function with its parameters, or a variable. */
const char *spell_encoding(struct speller *speller);

/* Like spell_encoding, but the text is without the parameters. */
const char *spell_encoded_name(struct speller *speller);

#endif
