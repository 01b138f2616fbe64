/* Names of functions and classes in mangled names; see demangle.h. */
#include <ctype.h>
#include <string.h>

#include "cli/demangle.h"

static const struct operator_name {
    char code[3];
    const char *text;
} OPERATORS[] = {
    {"nw", "new "}, {"na", "new[] "}, {"dl", "delete "}, {"da", "delete[] "}, {"ps", "+"},
    {"ng", "-"},    {"ad", "&"},      {"de", "*"},       {"co", "~"},         {"pl", "+"},
    {"mi", "-"},    {"ml", "*"},      {"dv", "/"},       {"rm", "%"},         {"an", "&"},
    {"or", "|"},    {"eo", "^"},      {"aS", "="},       {"pL", "+="},        {"mI", "-="},
    {"mL", "*="},   {"dV", "/="},     {"rM", "%="},      {"aN", "&="},        {"oR", "|="},
    {"eO", "^="},   {"ls", "<<"},     {"rs", ">>"},      {"lS", "<<="},       {"rS", ">>="},
    {"eq", "=="},   {"ne", "!="},     {"lt", "<"},       {"gt", ">"},         {"le", "<="},
    {"ge", ">="},   {"nt", "!"},      {"aa", "&&"},      {"oo", "||"},        {"pp", "++"},
    {"mm", "--"},   {"cm", ","},      {"pm", "->*"},     {"pt", "->"},        {"cl", "()"},
    {"ix", "[]"},   {"ss", "<=>"},
};

/* --------------------------------------------------------------------------------------------- */
/* Parts of names                                                                                */

static bool begins(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

/* NOLINTBEGIN(misc-no-recursion): each cycle goes through demangle_enter, which bounds the depth */

static const char *read_counted(struct demangler *demangler)
{
    size_t size = demangle_number(demangler);
    const char *name = demangler->next;
    if (!size || size > strlen(name)) {
        demangle_fail(demangler);
        return "";
    }
    demangler->next += size;
    return demangle_text(demangler, "%.*s", (int)size, name);
}

/* Namespaces without a name, and those that compilers make of a static function's file. */
const char *demangle_source_name(struct demangler *demangler)
{
    const char *text = read_counted(demangler);
    if (begins(text, "_INTERNAL_"))
        return NULL;
    if (begins(text, "_GLOBAL__N_"))
        return "<unnamed>";
    while (demangle_accept(demangler, "B"))
        text = demangle_text(demangler, "%s[abi:%s]", text, read_counted(demangler));
    return text;
}

/* A constant of a template: "(int)3". */
static const char *read_literal(struct demangler *demangler)
{
    if (demangle_accept(demangler, "_Z")) {
        const char *text = demangle_name(demangler).text;
        demangle_fail(demangler); /* how a function is shown here was never seen */
        return text;
    }
    struct spelling type = demangle_type(demangler);
    const char *sign = demangle_accept(demangler, "n") ? "-" : "";
    const char *start = demangler->next;
    while (isdigit((unsigned char)*demangler->next) || islower((unsigned char)*demangler->next))
        demangler->next++;
    const char *text = demangle_text(demangler, "(%s%s)%s%.*s", type.left, type.right, sign,
                                     (int)(demangler->next - start), start);
    if (!demangle_accept(demangler, "E"))
        demangle_fail(demangler);
    return text;
}

static const char *read_argument(struct demangler *demangler)
{
    if (demangle_accept(demangler, "L"))
        return read_literal(demangler);
    struct spelling type = demangle_type(demangler);
    bool spaced = *type.right == '(' || *type.right == '[';
    return demangle_text(demangler, "%s%s%s", type.left, spaced ? " " : "", type.right);
}

/* Up to the E. A pack of arguments is one argument, which is empty when it holds none. */
static const char *read_arguments(struct demangler *demangler)
{
    const char *text = "";
    bool entered = demangle_enter(demangler);
    for (bool first = true; entered && !demangler->failed && !demangle_accept(demangler, "E");
         first = false) {
        bool is_pack = demangle_accept(demangler, "J");
        const char *argument = is_pack ? read_arguments(demangler) : read_argument(demangler);
        text = demangle_text(demangler, "%s%s%s", text, first ? "" : ", ", argument);
    }
    demangle_leave(demangler);
    return text;
}

const char *demangle_arguments(struct demangler *demangler)
{
    return demangle_text(demangler, "<%s>", read_arguments(demangler));
}

static const char *read_operator(struct demangler *demangler, struct demangled_name *name)
{
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (demangle_accept(demangler, OPERATORS[i].code))
            return demangle_text(demangler, "operator %s", OPERATORS[i].text);
    if (demangle_accept(demangler, "li"))
        return demangle_text(demangler, "operator \"\"%s", read_counted(demangler));
    if (!demangle_accept(demangler, "cv"))
        demangle_fail(demangler);
    demangler->in_conversion = true;
    struct spelling type = demangle_type(demangler);
    demangler->in_conversion = false;
    name->has_no_result = true;
    return demangle_text(demangler, "operator %s%s", type.left, type.right);
}

/* Which of those of one scope: "_" is the first, "0_" the second. */
static size_t read_instance(struct demangler *demangler)
{
    size_t number = 1;
    if (*demangler->next != '_')
        number = demangle_number(demangler) + 2;
    if (!demangle_accept(demangler, "_"))
        demangle_fail(demangler);
    return number;
}

static const char *read_lambda(struct demangler *demangler)
{
    const char *parameters = demangle_parameters(demangler);
    if (!demangle_accept(demangler, "E"))
        demangle_fail(demangler);
    return demangle_text(demangler, "[lambda%s (instance %zu)]", parameters,
                         read_instance(demangler));
}

/* Which of its forms a constructor or destructor is. */
static const char *read_structor(struct demangler *demangler, struct demangled_name *name,
                                 const char *class)
{
    const char *tilde = *demangler->next == 'D' ? "~" : "";
    char form = demangler->next[1];
    demangler->next += form ? 2 : 1;
    if (form < '0' || form > '2')
        demangle_fail(demangler);
    name->has_no_result = true;
    name->kind = form == '0' ? " [deleting]" : form == '2' ? " [subobject]" : "";
    return demangle_text(demangler, "%s%s", tilde, class);
}

/* --------------------------------------------------------------------------------------------- */
/* Qualified names                                                                               */

/* A nested name while it is read: what is complete so far, and the class that it ends with. */
struct nested {
    struct spelling prefix;
    const char *class;
    bool is_new; /* the prefix can be referred to later */
};

static bool is_structor(const struct demangler *demangler)
{
    return (demangler->next[0] == 'C' || demangler->next[0] == 'D') &&
           isdigit((unsigned char)demangler->next[1]);
}

static void add_part(struct demangler *demangler, struct nested *nested, const char *part)
{
    const char *prefix = nested->prefix.left;
    if (part)
        nested->prefix.left = *prefix ? demangle_text(demangler, "%s::%s", prefix, part) : part;
    nested->is_new = true;
}

static const char *class_in(const char *text)
{
    const char *found = text;
    for (const char *c = text; *c && *c != '<'; c++)
        if (c[0] == ':' && c[1] == ':')
            found = c + 2;
    return found;
}

static void read_part(struct demangler *demangler, struct nested *nested,
                      struct demangled_name *name)
{
    name->has_arguments = false;
    if (demangle_accept(demangler, "St")) {
        nested->prefix.left = "std";
    } else if (demangle_accept(demangler, "S")) {
        nested->prefix = demangle_substitution(demangler);
        const char *class = class_in(nested->prefix.left);
        nested->class = demangle_text(demangler, "%.*s", (int)strcspn(class, "<"), class);
    } else if (demangle_accept(demangler, "I")) {
        const char *arguments = demangle_arguments(demangler);
        nested->prefix.left = demangle_text(demangler, "%s%s", nested->prefix.left, arguments);
        nested->is_new = name->has_arguments = true;
    } else if (is_structor(demangler)) {
        add_part(demangler, nested, read_structor(demangler, name, nested->class));
    } else if (isdigit((unsigned char)*demangler->next)) {
        const char *part = demangle_source_name(demangler);
        nested->class = part ? part : "";
        add_part(demangler, nested, part);
    } else if (demangle_accept(demangler, "Ul")) {
        add_part(demangler, nested, read_lambda(demangler));
    } else {
        add_part(demangler, nested, read_operator(demangler, name));
    }
}

static const char *read_qualifiers(struct demangler *demangler)
{
    bool is_volatile = demangle_accept(demangler, "V"), is_const = demangle_accept(demangler, "K");
    const char *reference = demangle_accept(demangler, "R")   ? " &"
                            : demangle_accept(demangler, "O") ? " &&"
                                                              : "";
    return demangle_text(demangler, "%s%s%s", is_const ? " const" : "",
                         is_volatile ? " volatile" : "", reference);
}

static struct demangled_name read_nested(struct demangler *demangler)
{
    struct demangled_name name = {.qualifiers = read_qualifiers(demangler), .kind = ""};
    struct nested nested = {.prefix = {"", "", false}, .class = ""};
    while (!demangler->failed && !demangle_accept(demangler, "E")) {
        if (nested.is_new)
            demangle_remember(demangler, nested.prefix);
        nested.is_new = false;
        read_part(demangler, &nested, &name);
    }
    name.text = nested.prefix.left;
    return name;
}

/* A name outside of classes, perhaps in the namespace std. */
static struct demangled_name read_plain(struct demangler *demangler)
{
    struct demangled_name name = {.qualifiers = "", .kind = ""};
    const char *space = demangle_accept(demangler, "St") ? "std::" : "";
    const char *part;
    if (isdigit((unsigned char)*demangler->next))
        part = demangle_source_name(demangler);
    else if (demangle_accept(demangler, "Ul"))
        part = read_lambda(demangler);
    else
        part = read_operator(demangler, &name);
    name.text = demangle_text(demangler, "%s%s", space, part ? part : "");
    if (demangle_accept(demangler, "I")) {
        demangle_remember(demangler, (struct spelling){name.text, "", true});
        const char *arguments = demangle_arguments(demangler);
        name.text = demangle_text(demangler, "%s%s", name.text, arguments);
        name.has_arguments = true;
    }
    return name;
}

/* A template that the name has mentioned before. */
static struct demangled_name read_mentioned(struct demangler *demangler)
{
    struct demangled_name name = {.qualifiers = "", .kind = "", .has_arguments = true};
    name.text = demangle_substitution(demangler).left;
    if (!demangle_accept(demangler, "I"))
        demangle_fail(demangler);
    const char *arguments = demangle_arguments(demangler);
    name.text = demangle_text(demangler, "%s%s", name.text, arguments);
    return name;
}

/* A name inside of a function. */
static struct demangled_name read_local(struct demangler *demangler)
{
    struct demangled_name name = {.text = "", .qualifiers = "", .kind = ""};
    if (demangle_enter(demangler)) {
        const char *function = demangle_encoding(demangler);
        if (!demangle_accept(demangler, "E"))
            demangle_fail(demangler);
        name = demangle_name(demangler);
        name.text = demangle_text(demangler, "%s::%s", function, name.text);
        if (demangle_accept(demangler, "_"))
            demangle_number(demangler);
    }
    demangle_leave(demangler);
    return name;
}

struct demangled_name demangle_name(struct demangler *demangler)
{
    if (demangle_accept(demangler, "Z"))
        return read_local(demangler);
    if (demangle_accept(demangler, "N"))
        return read_nested(demangler);
    if (demangler->next[0] == 'S' && demangler->next[1] != 't') {
        demangler->next++;
        return read_mentioned(demangler);
    }
    return read_plain(demangler);
}

const char *demangle_encoding(struct demangler *demangler)
{
    struct demangled_name name = demangle_name(demangler);
    if (!*demangler->next || *demangler->next == 'E' || demangler->failed)
        return name.text;
    struct spelling result = {"", "", false};
    bool has_result = name.has_arguments && !name.has_no_result;
    if (has_result)
        result = demangle_type(demangler);
    const char *parameters = demangle_parameters(demangler);
    bool spaced = *result.right == '(' || *result.right == '[';
    return demangle_text(demangler, "%s%s%s%s%s%s%s%s", result.left, spaced ? " " : "",
                         result.right, has_result ? " " : "", name.text, parameters,
                         name.qualifiers, name.kind);
}

/* NOLINTEND(misc-no-recursion) */
