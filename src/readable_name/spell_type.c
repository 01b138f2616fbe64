/* Parses types in mangled names; see spelling.h. */
#include <ctype.h>
#include <string.h>

#include "readable_name/spelling.h"

static const struct builtin {
    char code[3];
    const char *text;
} BUILTINS[] = {
    {"v", "void"},
    {"w", "wchar_t"},
    {"b", "bool"},
    {"c", "char"},
    {"a", "signed char"},
    {"h", "unsigned char"},
    {"s", "short"},
    {"t", "unsigned short"},
    {"i", "int"},
    {"j", "unsigned int"},
    {"l", "long"},
    {"m", "unsigned long"},
    {"x", "long long"},
    {"y", "unsigned long long"},
    {"n", "__int128"},
    {"o", "unsigned __int128"},
    {"f", "float"},
    {"d", "double"},
    {"e", "long double"},
    {"g", "__float128"},
    {"z", "..."},
    {"Di", "char32_t"},
    {"Ds", "char16_t"},
    {"Du", "char8_t"},
    {"Dn", "std::nullptr_t"},
    {"Da", "auto"},
    {"Dc", "decltype(auto)"},
};

static struct spelling plain(const char *text)
{
    return (struct spelling){text, "", true};
}

static bool read_builtin(struct speller *speller, struct spelling *type)
{
    for (size_t i = 0; i < sizeof BUILTINS / sizeof *BUILTINS; i++)
        if (spell_accept(speller, BUILTINS[i].code)) {
            *type = plain(BUILTINS[i].text);
            return true;
        }
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Compound types                                                                                */

static bool ends_with_mark(const char *text)
{
    size_t size = strlen(text);
    return size && strchr("*&", text[size - 1]);
}

const char *spell_blank(const struct spelling *type)
{
    bool is_around = *type->right == '(' || *type->right == '[';
    return is_around && type->blank ? " " : "";
}

/* Makes a pointer or reference to the type `to`. If that type is a function or an array, `mark`
 * (such as "*") is put inside its text, before the parameters or the size. */
static struct spelling point(struct speller *speller, struct spelling to, const char *mark)
{
    if (*to.right == '(' || *to.right == '[')
        return (struct spelling){
            spell_text(speller, "%s%s(%s", to.left, ends_with_mark(to.left) ? "" : " ", mark),
            spell_text(speller, ")%s", to.right), false};
    const char *blank = to.blank ? " " : "";
    return (struct spelling){spell_text(speller, "%s%s%s", to.left, blank, mark), to.right, false};
}

static struct spelling qualify(struct speller *speller, struct spelling type, const char *word)
{
    bool follows = ends_with_mark(type.left);
    const char *left = follows ? spell_text(speller, "%s%s ", type.left, word)
                               : spell_text(speller, "%s %s", word, type.left);
    return (struct spelling){left, type.right, !follows && type.blank};
}

/* NOLINTBEGIN(misc-no-recursion): each cycle of calls includes spell_enter, which limits the
 * depth */

/* Reads a function type. `qualifiers`, such as " const", are those of a member function. */
static struct spelling read_function(struct speller *speller, const char *qualifiers)
{
    spell_accept(speller, "Y");
    struct spelling result = spell_type(speller);
    const char *parameters = spell_parameters(speller);
    const char *reference = spell_accept(speller, "RE")   ? " &"
                            : spell_accept(speller, "OE") ? " &&"
                                                          : "";
    if (!*reference && !spell_accept(speller, "E"))
        spell_fail(speller);
    const char *right =
        spell_text(speller, "%s%s%s%s", parameters, qualifiers, reference, result.right);
    return (struct spelling){result.left, right, result.blank};
}

/* Reads a type with qualifiers in any order. The qualifiers of a function are shown after it; those
 * of an array are not shown. */
static struct spelling read_qualified(struct speller *speller)
{
    static const char LETTERS[] = "KVr";
    static const char *const WORDS[] = {"const", "volatile", "restrict"};
    bool has[3] = {false};
    for (const char *found; *speller->next && (found = strchr(LETTERS, *speller->next));
         speller->next++)
        has[found - LETTERS] = true;
    if (spell_accept(speller, "F")) {
        const char *qualifiers = "";
        for (size_t i = 0; i < 3; i++)
            qualifiers = has[i] ? spell_text(speller, "%s %s", qualifiers, WORDS[i]) : qualifiers;
        return read_function(speller, qualifiers);
    }
    bool is_array = *speller->next == 'A';
    struct spelling type = spell_type(speller);
    for (size_t i = 3; i-- > 0 && !is_array;)
        if (has[i])
            type = qualify(speller, type, WORDS[i]);
    return type;
}

/* Reads a template parameter, which is shown by its number. "T_" is the first parameter. */
struct spelling spell_template_parameter(struct speller *speller)
{
    size_t number = 1;
    if (*speller->next != '_')
        number = spell_number(speller) + 2;
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    return plain(spell_text(speller, "T%zu", number));
}

static const char *read_array_size(struct speller *speller)
{
    const char *start = speller->next;
    if (spell_accept(speller, "T"))
        return spell_template_parameter(speller).left;
    while (isdigit((unsigned char)*speller->next))
        speller->next++;
    if (speller->next == start && *start != '_')
        return spell_expression(speller);
    return spell_text(speller, "%.*s", (int)(speller->next - start), start);
}

static struct spelling read_array(struct speller *speller)
{
    const char *size = read_array_size(speller);
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    struct spelling element = spell_type(speller);
    return (struct spelling){element.left, spell_text(speller, "[%s]%s", size, element.right),
                             element.blank};
}

static struct spelling read_member_pointer(struct speller *speller)
{
    struct spelling class = spell_type(speller);
    struct spelling member = spell_type(speller);
    return point(speller, member, spell_text(speller, " :: %s::*", class.left));
}

static struct spelling read_compound(struct speller *speller)
{
    static const struct {
        char code[3];
        const char *text;
    } MARKS[] = {{"P", "*"}, {"R", "&"}, {"O", "&&"}};
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (spell_accept(speller, MARKS[i].code))
            return point(speller, spell_type(speller), MARKS[i].text);
    if (*speller->next == 'r' || *speller->next == 'V' || *speller->next == 'K')
        return read_qualified(speller);
    if (spell_accept(speller, "F"))
        return read_function(speller, "");
    if (spell_accept(speller, "A"))
        return read_array(speller);
    if (spell_accept(speller, "M"))
        return read_member_pointer(speller);
    if (spell_accept(speller, "T"))
        return spell_template_parameter(speller);
    if (spell_accept(speller, "DT"))
        return plain(spell_decltype(speller, true));
    if (spell_accept(speller, "Dt"))
        return plain(spell_decltype(speller, false));
    if (*speller->next == 'U') /* a type without a name must be in a scope (observed) */
        spell_fail(speller);
    return plain(spell_name(speller).text);
}

/* Reads a reference to an earlier type, or to an earlier template with new arguments. */
static struct spelling read_substitution(struct speller *speller)
{
    struct spelling type = spell_substitution(speller);
    if (!spell_accept(speller, "I"))
        return type;
    const char *arguments = spell_arguments(speller);
    type = (struct spelling){spell_text(speller, "%s%s", type.left, arguments), type.right, false};
    spell_remember(speller, type);
    return type;
}

static struct spelling read_type(struct speller *speller)
{
    struct spelling type;
    if (spell_accept(speller, "Dp")) {
        type = spell_type(speller);
        type.right = spell_text(speller, "%s...", type.right);
        spell_remember(speller, type);
        return type;
    }
    if (read_builtin(speller, &type))
        return type;
    if (speller->next[0] == 'S' && speller->next[1] != 't') {
        speller->next++;
        return read_substitution(speller);
    }
    type = read_compound(speller);
    spell_remember(speller, type);
    if (!speller->in_conversion && speller->next[0] == 'I' &&
        type.left[0] == 'T') { /* a parameter that is a template */
        speller->next++;
        type.left = spell_text(speller, "%s%s", type.left, spell_arguments(speller));
        spell_remember(speller, type);
    }
    return type;
}

struct spelling spell_type(struct speller *speller)
{
    struct spelling type = plain("");
    if (spell_enter(speller))
        type = read_type(speller);
    spell_leave(speller);
    return type;
}

static bool is_at_end(const struct speller *speller)
{
    bool is_reference = speller->next[0] && speller->next[1] == 'E' && strchr("RO", *speller->next);
    return speller->failed || !*speller->next || is_reference || strchr("E$", *speller->next);
}

const char *spell_parameters(struct speller *speller)
{
    const char *text = "(";
    if (spell_accept(speller, "v"))
        return "()";
    if (is_at_end(speller))
        spell_fail(speller);
    for (bool first = true; !is_at_end(speller); first = false) {
        struct spelling type = spell_type(speller);
        text = spell_text(speller, "%s%s%s%s%s", text, first ? "" : ", ", type.left,
                          spell_blank(&type), type.right);
    }
    return spell_text(speller, "%s)", text);
}

/* NOLINTEND(misc-no-recursion) */
