/* Types in mangled names; see demangle.h. */
#include "cli/demangle.h"

#include <ctype.h>
#include <string.h>

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
};

static struct spelling plain(const char *text)
{
    return (struct spelling){text, "", true};
}

static bool read_builtin(struct demangler *demangler, struct spelling *type)
{
    for (size_t i = 0; i < sizeof BUILTINS / sizeof *BUILTINS; i++)
        if (demangle_accept(demangler, BUILTINS[i].code)) {
            *type = plain(BUILTINS[i].text);
            return true;
        }
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Types made of others                                                                          */

static bool ends_with_mark(const char *text)
{
    size_t size = strlen(text);
    return size && strchr("*&", text[size - 1]);
}

/* Functions and arrays are put around what points to them. */
static struct spelling point(struct demangler *demangler, struct spelling to, const char *mark)
{
    if (*to.right == '(' || *to.right == '[')
        return (struct spelling){
            demangle_text(demangler, "%s%s(%s", to.left, ends_with_mark(to.left) ? "" : " ", mark),
            demangle_text(demangler, ")%s", to.right), false};
    const char *blank = to.blank ? " " : "";
    return (struct spelling){demangle_text(demangler, "%s%s%s", to.left, blank, mark), to.right,
                             false};
}

static struct spelling qualify(struct demangler *demangler, struct spelling type, const char *word)
{
    bool behind = ends_with_mark(type.left);
    const char *left = behind ? demangle_text(demangler, "%s%s ", type.left, word)
                              : demangle_text(demangler, "%s %s", word, type.left);
    return (struct spelling){left, type.right, !behind && type.blank};
}

/* NOLINTBEGIN(misc-no-recursion): each cycle goes through demangle_enter, which bounds the depth */

static struct spelling read_function(struct demangler *demangler)
{
    demangle_accept(demangler, "Y");
    struct spelling result = demangle_type(demangler);
    const char *parameters = demangle_parameters(demangler);
    if (!demangle_accept(demangler, "E"))
        demangle_fail(demangler);
    return (struct spelling){result.left,
                             demangle_text(demangler, "%s%s", parameters, result.right), true};
}

/* "T_" is the first parameter of the template, shown by its number. */
struct spelling demangle_template_parameter(struct demangler *demangler)
{
    size_t number = 1;
    if (*demangler->next != '_')
        number = demangle_number(demangler) + 2;
    if (!demangle_accept(demangler, "_"))
        demangle_fail(demangler);
    return plain(demangle_text(demangler, "T%zu", number));
}

static const char *read_array_size(struct demangler *demangler)
{
    const char *start = demangler->next;
    if (demangle_accept(demangler, "T"))
        return demangle_template_parameter(demangler).left;
    while (isdigit((unsigned char)*demangler->next))
        demangler->next++;
    return demangle_text(demangler, "%.*s", (int)(demangler->next - start), start);
}

static struct spelling read_array(struct demangler *demangler)
{
    const char *size = read_array_size(demangler);
    if (!demangle_accept(demangler, "_"))
        demangle_fail(demangler);
    struct spelling element = demangle_type(demangler);
    return (struct spelling){element.left, demangle_text(demangler, "[%s]%s", size, element.right),
                             true};
}

static struct spelling read_member_pointer(struct demangler *demangler)
{
    struct spelling class = demangle_type(demangler);
    struct spelling member = demangle_type(demangler);
    return point(demangler, member, demangle_text(demangler, " :: %s::*", class.left));
}

static struct spelling read_compound(struct demangler *demangler)
{
    static const struct {
        char code[3];
        const char *text;
    } MARKS[] = {{"P", "*"}, {"R", "&"}, {"O", "&&"}},
      WORDS[] = {{"r", "__restrict__"}, {"V", "volatile"}, {"K", "const"}};
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (demangle_accept(demangler, MARKS[i].code))
            return point(demangler, demangle_type(demangler), MARKS[i].text);
    if (*demangler->next == 'r' || *demangler->next == 'V' || *demangler->next == 'K') {
        bool has[3];
        for (size_t i = 0; i < 3; i++)
            has[i] = demangle_accept(demangler, WORDS[i].code);
        struct spelling type = demangle_type(demangler);
        for (size_t i = 0; i < 3; i++)
            if (has[i])
                type = qualify(demangler, type, WORDS[i].text);
        return type;
    }
    if (demangle_accept(demangler, "F"))
        return read_function(demangler);
    if (demangle_accept(demangler, "A"))
        return read_array(demangler);
    if (demangle_accept(demangler, "M"))
        return read_member_pointer(demangler);
    if (demangle_accept(demangler, "T"))
        return demangle_template_parameter(demangler);
    return plain(demangle_name(demangler).text);
}

/* A class that is a part of the name, or a template of one with arguments of its own. */
static struct spelling read_substitution(struct demangler *demangler)
{
    struct spelling type = demangle_substitution(demangler);
    if (!demangle_accept(demangler, "I"))
        return type;
    const char *arguments = demangle_arguments(demangler);
    type = (struct spelling){demangle_text(demangler, "%s%s", type.left, arguments), type.right,
                             false};
    demangle_remember(demangler, type);
    return type;
}

static struct spelling read_type(struct demangler *demangler)
{
    struct spelling type;
    if (demangle_accept(demangler, "Dp")) {
        type = demangle_type(demangler);
        type.right = demangle_text(demangler, "%s...", type.right);
        return type;
    }
    if (read_builtin(demangler, &type))
        return type;
    if (demangler->next[0] == 'S' && demangler->next[1] != 't') {
        demangler->next++;
        return read_substitution(demangler);
    }
    type = read_compound(demangler);
    demangle_remember(demangler, type);
    if (!demangler->in_conversion && demangler->next[0] == 'I' &&
        type.left[0] == 'T') { /* a parameter that is a template */
        demangler->next++;
        type.left = demangle_text(demangler, "%s%s", type.left, demangle_arguments(demangler));
        demangle_remember(demangler, type);
    }
    return type;
}

struct spelling demangle_type(struct demangler *demangler)
{
    struct spelling type = plain("");
    if (demangle_enter(demangler))
        type = read_type(demangler);
    demangle_leave(demangler);
    return type;
}

static bool is_at_end(const struct demangler *demangler)
{
    return demangler->failed || !*demangler->next || strchr("E$", *demangler->next);
}

const char *demangle_parameters(struct demangler *demangler)
{
    const char *text = "(";
    if (demangle_accept(demangler, "v"))
        return "()";
    if (is_at_end(demangler))
        demangle_fail(demangler);
    for (bool first = true; !is_at_end(demangler); first = false) {
        struct spelling type = demangle_type(demangler);
        bool spaced = *type.right == '(' || *type.right == '[';
        text = demangle_text(demangler, "%s%s%s%s%s", text, first ? "" : ", ", type.left,
                             spaced ? " " : "", type.right);
    }
    return demangle_text(demangler, "%s)", text);
}

/* NOLINTEND(misc-no-recursion) */
