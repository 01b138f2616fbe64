/* Parses expressions in mangled names, which occur in template arguments and in decltype; see
 * spelling.h.
 *
 * nvlink 13.0.88 writes expressions without blanks and without parentheses for precedence. It
 * writes param#1 for the first parameter of the function (observed with 200 names of g++ and nvcc,
 * and with constructed names). */
#include <string.h>

#include "readable_name/spelling.h"

/* NOLINTBEGIN(misc-no-recursion): each cycle of calls includes spell_enter, which limits the
 * depth */

static bool is_one_of(const char *code, const char *codes)
{
    for (; *codes; codes += 2)
        if (!strncmp(code, codes, 2))
            return true;
    return false;
}

static const char DESIGNATORS[] = "didxdX";

/* Reads a parameter of the function, after "fp": "_" is the first, "0_" the second. */
static const char *read_parameter(struct speller *speller)
{
    if (spell_accept(speller, "T"))
        return "this";
    size_t number = *speller->next == '_' ? 1 : spell_number(speller) + 2;
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    return spell_text(speller, "param#%zu", number);
}

/* Reads a list of expressions up to the letter `end`. */
static const char *read_list_up_to(struct speller *speller, const char *end)
{
    const char *text = "";
    for (bool first = true; !speller->failed && !spell_accept(speller, end); first = false)
        text = spell_text(speller, "%s%s%s", text, first ? "" : ", ", spell_expression(speller));
    return text;
}

static const char *read_list(struct speller *speller)
{
    return read_list_up_to(speller, "E");
}

static const char *read_type(struct speller *speller)
{
    struct spelling type = spell_type(speller);
    return spell_text(speller, "%s%s%s", type.left, spell_blank(&type), type.right);
}

/* Reads the last part of a qualified name, and template arguments if they follow. */
static const char *read_member(struct speller *speller)
{
    const char *text = NULL;
    if (spell_accept(speller, "on")) {
        const char *operator_text = spell_operator(speller);
        text = operator_text ? spell_text(speller, "operator %s", operator_text) : NULL;
    } else {
        text = spell_source_name(speller);
    }
    if (!text)
        spell_fail(speller);
    if (speller->failed || !spell_accept(speller, "I"))
        return text ? text : "";
    return spell_text(speller, "%s%s", text, spell_arguments(speller));
}

/* Reads a qualified name: a scope and a member. The scope is a type, or a list of namespaces and
 * classes that an E ends. */
static const char *read_qualified(struct speller *speller)
{
    const char *scope = "";
    if (*speller->next < '0' || *speller->next > '9') {
        scope = spell_accept(speller, "N") ? spell_scope(speller) : read_type(speller);
        return spell_text(speller, "%s::%s", scope, read_member(speller));
    }
    while (!speller->failed && !spell_accept(speller, "E"))
        scope = spell_text(speller, "%s%s::", scope, read_member(speller));
    return spell_text(speller, "%s%s", scope, read_member(speller));
}

static const char *read_literal(struct speller *speller)
{
    const char *text;
    if (spell_accept(speller, "_Z"))
        text = spell_encoded_name(speller);
    else if (spell_accept(speller, "Dn"))
        text = "nullptr";
    else
        return spell_literal(speller);
    if (!spell_accept(speller, "E"))
        spell_fail(speller);
    return text;
}

/* Reads a conversion, which is shown as "(type)value", or as "type(values)" for several values. */
static const char *read_conversion(struct speller *speller)
{
    const char *type = read_type(speller);
    if (spell_accept(speller, "_"))
        return spell_text(speller, "%s(%s)", type, read_list(speller));
    return spell_text(speller, "(%s)%s", type, spell_expression(speller));
}

static const char *read_call(struct speller *speller)
{
    const char *callee = spell_expression(speller);
    return spell_text(speller, "%s(%s)", callee, read_list(speller));
}

static const char *read_access(struct speller *speller, const char *mark)
{
    const char *object = spell_expression(speller);
    return spell_text(speller, "(%s%s%s)", object, mark, read_member(speller));
}

static const char *read_choice(struct speller *speller)
{
    const char *condition = spell_expression(speller);
    const char *yes = spell_expression(speller);
    return spell_text(speller, "%s?%s:%s", condition, yes, spell_expression(speller));
}

static const char *read_element(struct speller *speller)
{
    const char *array = spell_expression(speller);
    return spell_text(speller, "%s[%s]", array, spell_expression(speller));
}

static const char *read_braces(struct speller *speller)
{
    const char *type = spell_accept(speller, "tl") ? read_type(speller) : "";
    if (!*type && !spell_accept(speller, "il"))
        spell_fail(speller);
    return spell_text(speller, "%s{%s}", type, read_list(speller));
}

/* Reads a designated initializer of a member, an element or several elements, shown as ".b=(int)1".
 * For a part of a member, the text is ".b.c=(int)1". */
static const char *read_designated(struct speller *speller)
{
    const char *part = "";
    bool is_part_of_member = false;
    if (spell_accept(speller, "di")) {
        part = spell_text(speller, ".%s", read_member(speller));
        is_part_of_member = is_one_of(speller->next, "di");
    } else if (spell_accept(speller, "dx")) {
        part = spell_text(speller, "[%s]", spell_expression(speller));
    } else if (spell_accept(speller, "dX")) {
        const char *first = spell_expression(speller);
        part = spell_text(speller, "[%s ... %s]", first, spell_expression(speller));
    }
    return spell_text(speller, "%s%s%s", part, is_part_of_member ? "" : "=",
                      spell_expression(speller));
}

/* Reads a new expression, shown as "new (placement) T1(values)". */
static const char *read_new(struct speller *speller, const char *word)
{
    const char *placement = read_list_up_to(speller, "_");
    const char *type = read_type(speller);
    const char *values = "";
    if (spell_accept(speller, "pi"))
        values = spell_text(speller, "(%s)", read_list(speller));
    else if (is_one_of(speller->next, "il"))
        values = read_braces(speller);
    if (!*values && !spell_accept(speller, "E"))
        spell_fail(speller);
    return *placement ? spell_text(speller, "%s(%s) %s%s", word, placement, type, values)
                      : spell_text(speller, "%s%s%s", word, type, values);
}

/* Reads a fold expression: "(...+a)", "(a+...)" or "(a+...+b)". */
static const char *read_fold(struct speller *speller)
{
    bool is_left = spell_accept(speller, "fl"), is_right = !is_left && spell_accept(speller, "fr");
    if (!is_left && !is_right && !spell_accept(speller, "fL") && !spell_accept(speller, "fR"))
        spell_fail(speller);
    const char *mark = spell_operator(speller);
    if (!mark)
        spell_fail(speller);
    if (speller->failed)
        return "";
    const char *first = spell_expression(speller);
    if (is_left)
        return spell_text(speller, "(...%s%s)", mark, first);
    if (is_right)
        return spell_text(speller, "(%s%s...)", first, mark);
    return spell_text(speller, "(%s%s...%s%s)", first, mark, mark, spell_expression(speller));
}

/* Operators that are shown as a word. A type, an expression or both follow the word. */
static const struct {
    char code[3];
    const char *word;
    bool has_type, has_value;
} WORDS[] = {
    {"st", "sizeof", true, false},     {"sz", "sizeof", false, true},
    {"at", "alignof", true, false},    {"az", "alignof", false, true},
    {"ti", "typeid", true, false},     {"te", "typeid", false, true},
    {"sZ", "sizeof...", false, true},  {"nx", "noexcept", false, true},
    {"sc", "static_cast", true, true}, {"dc", "dynamic_cast", true, true},
    {"cc", "const_cast", true, true},  {"rc", "reinterpret_cast", true, true},
};

static const char *read_word(struct speller *speller)
{
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (!spell_accept(speller, WORDS[i].code))
            continue;
        const char *type = WORDS[i].has_type ? read_type(speller) : "";
        const char *value = WORDS[i].has_value ? spell_expression(speller) : "";
        return WORDS[i].has_type && WORDS[i].has_value
                   ? spell_text(speller, "%s<%s>(%s)", WORDS[i].word, type, value)
                   : spell_text(speller, "%s(%s%s)", WORDS[i].word, type, value);
    }
    return NULL;
}

/* Reads an operator and its operands. "pp_" and "mm_" are prefix operators, "pp" and "mm" are
 * postfix operators. */
static const char *read_operation(struct speller *speller)
{
    const char *code = speller->next;
    const char *mark = spell_operator(speller);
    bool is_step = is_one_of(code, "ppmm");
    if (!mark || is_one_of(code, "cl")) {
        spell_fail(speller);
        return "";
    }
    if (is_one_of(code, "nwna"))
        return read_new(speller, mark);
    if (is_one_of(code, "dlda"))
        return spell_text(speller, "%s%s", mark, spell_expression(speller));
    if (is_step && !spell_accept(speller, "_"))
        return spell_text(speller, "%s%s", spell_expression(speller), mark);
    if (is_step || is_one_of(code, "psngaddecontaw"))
        return spell_text(speller, "%s%s", mark, spell_expression(speller));
    const char *left = spell_expression(speller);
    return spell_text(speller, "%s%s%s", left, mark, spell_expression(speller));
}

static const char *read_expression(struct speller *speller)
{
    if (*speller->next >= '0' && *speller->next <= '9')
        return read_member(speller);
    if (spell_accept(speller, "L"))
        return read_literal(speller);
    if (spell_accept(speller, "T"))
        return spell_template_parameter(speller).left;
    if (spell_accept(speller, "fp"))
        return read_parameter(speller);
    if (spell_accept(speller, "gs"))
        return spell_text(speller, "::%s", spell_expression(speller));
    if (spell_accept(speller, "sr"))
        return read_qualified(speller);
    if (spell_accept(speller, "cl"))
        return read_call(speller);
    if (spell_accept(speller, "cv"))
        return read_conversion(speller);
    if (spell_accept(speller, "dt"))
        return read_access(speller, ".");
    if (spell_accept(speller, "pt"))
        return read_access(speller, "->");
    if (spell_accept(speller, "qu"))
        return read_choice(speller);
    if (spell_accept(speller, "ix"))
        return read_element(speller);
    if (spell_accept(speller, "sp"))
        return spell_text(speller, "%s...", spell_expression(speller));
    if (spell_accept(speller, "tw"))
        return spell_text(speller, "throw %s", spell_expression(speller));
    if (spell_accept(speller, "tr"))
        return "throw";
    if (is_one_of(speller->next, DESIGNATORS))
        return read_designated(speller);
    if (is_one_of(speller->next, "flfrfLfR"))
        return read_fold(speller);
    if (is_one_of(speller->next, "tlil"))
        return read_braces(speller);
    if (is_one_of(speller->next, "on"))
        return read_member(speller);
    const char *word = read_word(speller);
    return word ? word : read_operation(speller);
}

const char *spell_expression(struct speller *speller)
{
    const char *text = "";
    if (spell_enter(speller))
        text = read_expression(speller);
    spell_leave(speller);
    return text;
}

const char *spell_decltype(struct speller *speller, bool is_value)
{
    const char *text = spell_expression(speller);
    if (!spell_accept(speller, "E"))
        spell_fail(speller);
    return spell_text(speller, is_value ? "decltype((%s))" : "decltype(%s)", text);
}

/* NOLINTEND(misc-no-recursion) */
