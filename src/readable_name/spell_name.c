/* Parses the names of functions and classes in mangled names; see spelling.h. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "readable_name/spelling.h"

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
    {"ix", "[]"},   {"ss", "<=>"},    {"ds", ".*"},      {"aw", "co_await"},
};

/* --------------------------------------------------------------------------------------------- */
/* Parts of names                                                                                */

static const char HEXADECIMAL[] = "0123456789abcdef";
enum { FLOAT_DIGITS = 8, DOUBLE_DIGITS = 16 };

static bool begins(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

/* NOLINTBEGIN(misc-no-recursion): each cycle of calls includes spell_enter, which limits the
 * depth */

static const char *read_counted(struct speller *speller)
{
    size_t size = spell_number(speller);
    const char *name = speller->next;
    if (!size || strnlen(name, size) < size) {
        spell_fail(speller);
        return "";
    }
    speller->next += size;
    return spell_text(speller, "%.*s", (int)size, name);
}

/* Adds the ABI tags that follow a name, as one list. */
static const char *add_tags(struct speller *speller, const char *text)
{
    const char *before = "[abi:", *after = "";
    for (; spell_accept(speller, "B"); before = ",", after = "]")
        text = spell_text(speller, "%s%s%s", text, before, read_counted(speller));
    return spell_text(speller, "%s%s", text, after);
}

/* Namespaces without a name are shown as <unnamed>. Namespaces that compilers generate for the
 * static functions of a file are not shown. */
const char *spell_source_name(struct speller *speller)
{
    const char *text = read_counted(speller);
    if (begins(text, "_INTERNAL_"))
        return NULL;
    if (begins(text, "_GLOBAL__N_"))
        return "<unnamed>";
    return add_tags(speller, text);
}

/* Returns the value of a float or a double. `digits` is its bits as `count` hexadecimal digits. */
static double value_of(const char *digits, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits = bits << 4 | (uint64_t)(strchr(HEXADECIMAL, digits[i]) - HEXADECIMAL);
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return count == FLOAT_DIGITS ? (double)single : value;
}

/* Reads a floating-point value and spells it as in "1.0", "1e-10" or "-inf". */
static const char *read_floating(struct speller *speller, size_t count)
{
    const char *digits = speller->next;
    if (strspn(digits, HEXADECIMAL) != count) {
        spell_fail(speller);
        return "";
    }
    speller->next += count;
    double value = value_of(digits, count);
    const char *text = spell_text(speller, "%.*g", count == FLOAT_DIGITS ? 6 : 15, value);
    bool is_whole = isfinite(value) && !strpbrk(text, ".e");
    return is_whole ? spell_text(speller, "%s.0", text) : text;
}

static const char *read_value(struct speller *speller, const char *type)
{
    if (!strcmp(type, "float"))
        return read_floating(speller, FLOAT_DIGITS);
    if (!strcmp(type, "double"))
        return read_floating(speller, DOUBLE_DIGITS);
    const char *sign = spell_accept(speller, "n") ? "-" : "";
    const char *start = speller->next;
    while (isdigit((unsigned char)*speller->next) || islower((unsigned char)*speller->next))
        speller->next++;
    return spell_text(speller, "%s%.*s", sign, (int)(speller->next - start), start);
}

const char *spell_literal(struct speller *speller)
{
    if (spell_accept(speller, "_Z")) {
        const char *text = spell_encoded_name(speller);
        if (!spell_accept(speller, "E"))
            spell_fail(speller);
        return text;
    }
    if (spell_accept(speller, "DnE"))
        return "nullptr";
    if (*speller->next == 'e' || *speller->next == 'g')
        spell_fail(speller); /* long double, __float128: nvlink does not read such names */
    struct spelling type = spell_type(speller);
    const char *value = read_value(speller, type.left);
    const char *text = spell_text(speller, "(%s%s)%s", type.left, type.right, value);
    if (!spell_accept(speller, "E"))
        spell_fail(speller);
    return text;
}

static const char *read_argument(struct speller *speller)
{
    if (spell_accept(speller, "L"))
        return spell_literal(speller);
    if (spell_accept(speller, "X")) {
        const char *text = spell_expression(speller);
        if (!spell_accept(speller, "E"))
            spell_fail(speller);
        return text;
    }
    struct spelling type = spell_type(speller);
    return spell_text(speller, "%s%s%s", type.left, spell_blank(&type), type.right);
}

/* Reads template arguments up to the E. A pack is read as one argument. An empty pack is an empty
 * argument. */
static const char *read_arguments(struct speller *speller)
{
    const char *text = "";
    bool entered = spell_enter(speller);
    for (bool first = true; entered && !speller->failed && !spell_accept(speller, "E");
         first = false) {
        bool is_pack = spell_accept(speller, "J");
        const char *argument = is_pack ? read_arguments(speller) : read_argument(speller);
        text = spell_text(speller, "%s%s%s", text, first ? "" : ", ", argument);
    }
    spell_leave(speller);
    return text;
}

const char *spell_arguments(struct speller *speller)
{
    return spell_text(speller, "<%s>", read_arguments(speller));
}

const char *spell_operator(struct speller *speller)
{
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (spell_accept(speller, OPERATORS[i].code))
            return OPERATORS[i].text;
    return NULL;
}

static const char *read_operator(struct speller *speller, struct spelled_name *name)
{
    const char *text = spell_operator(speller);
    if (text)
        return add_tags(speller, spell_text(speller, "operator %s", text));
    if (spell_accept(speller, "li"))
        return add_tags(speller, spell_text(speller, "operator \"\"%s", read_counted(speller)));
    if (!spell_accept(speller, "cv"))
        spell_fail(speller);
    speller->in_conversion = true;
    struct spelling type = spell_type(speller);
    speller->in_conversion = false;
    name->has_no_result = true;
    return add_tags(speller, spell_text(speller, "operator %s%s", type.left, type.right));
}

/* Reads the number of an instance in its scope: "_" is the first, "0_" the second. */
static size_t read_instance(struct speller *speller)
{
    size_t number = 1;
    if (*speller->next != '_')
        number = spell_number(speller) + 2;
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    return number;
}

static const char *read_lambda(struct speller *speller)
{
    const char *parameters = spell_parameters(speller);
    if (!spell_accept(speller, "E"))
        spell_fail(speller);
    return spell_text(speller, "[lambda%s (instance %zu)]", parameters, read_instance(speller));
}

/* Reads a lambda ("Ul") or another type without a name ("Ut"). Returns NULL if neither follows. */
static const char *read_unnamed(struct speller *speller)
{
    if (spell_accept(speller, "Ul"))
        return read_lambda(speller);
    if (spell_accept(speller, "Ut"))
        return spell_text(speller, "[unnamed type (instance %zu)]", read_instance(speller));
    return NULL;
}

/* Reads an inherited constructor, after "CI": a digit, and the class from which the constructor is
 * inherited. */
static const char *read_inherited(struct speller *speller, struct spelled_name *name)
{
    char form = *speller->next;
    speller->next += form ? 1 : 0;
    if (form != '1' && form != '2')
        spell_fail(speller);
    name->has_no_result = true;
    name->kind = form == '1' ? " [complete inheriting]" : " [base inheriting]";
    struct spelling class = spell_type(speller);
    return spell_text(speller, "%s%s", class.left, class.right);
}

/* Reads a constructor or destructor. The digit after the letter C or D is 0 for a destructor that
 * also frees the object, and 2 for a constructor or destructor of a subobject. */
static const char *read_structor(struct speller *speller, struct spelled_name *name,
                                 const char *class)
{
    const char *tilde = *speller->next == 'D' ? "~" : "";
    char form = speller->next[1];
    speller->next += form ? 2 : 1;
    if (form < '0' || form > '2')
        spell_fail(speller);
    name->has_no_result = true;
    name->kind = form == '0' ? " [deleting]" : form == '2' ? " [subobject]" : "";
    return add_tags(speller, spell_text(speller, "%s%s", tilde, class));
}

/* --------------------------------------------------------------------------------------------- */
/* Qualified names                                                                               */

/* The state of reading a nested name. */
struct nested {
    struct spelling prefix; /* the parts read so far */
    const char *class;      /* name of the class that was read last; NULL: that of `mentioned` */
    const char *mentioned;  /* text of the substitution that was read last */
    bool is_new; /* the prefix was extended, and is not yet remembered for substitutions */
};

static bool is_structor(const struct speller *speller)
{
    return (speller->next[0] == 'C' || speller->next[0] == 'D') &&
           isdigit((unsigned char)speller->next[1]);
}

static void add_part(struct speller *speller, struct nested *nested, const char *part)
{
    const char *prefix = nested->prefix.left;
    if (part)
        nested->prefix.left = *prefix ? spell_text(speller, "%s::%s", prefix, part) : part;
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

/* Returns the name of the class that was read last. The name of a substitution's class is searched
 * only here, in a copy of the text, whose size is limited. A long name can have millions of
 * substitutions for a long text. */
static const char *last_class(struct speller *speller, const struct nested *nested)
{
    if (nested->class)
        return nested->class;
    const char *class = class_in(spell_text(speller, "%s", nested->mentioned));
    return spell_text(speller, "%.*s", (int)strcspn(class, "<"), class);
}

static void read_part(struct speller *speller, struct nested *nested, struct spelled_name *name)
{
    name->has_arguments = false;
    const char *unnamed = read_unnamed(speller);
    if (unnamed) {
        nested->class = unnamed;
        add_part(speller, nested, unnamed);
    } else if (spell_accept(speller, "St")) {
        nested->prefix.left = "std";
    } else if (spell_accept(speller, "S")) {
        nested->prefix = spell_substitution(speller);
        nested->mentioned = nested->prefix.left;
        nested->class = NULL;
    } else if (spell_accept(speller, "I")) {
        const char *arguments = spell_arguments(speller);
        nested->prefix.left = spell_text(speller, "%s%s", nested->prefix.left, arguments);
        nested->is_new = name->has_arguments = true;
    } else if (spell_accept(speller, "CI")) {
        add_part(speller, nested, read_inherited(speller, name));
    } else if (is_structor(speller)) {
        const char *class = last_class(speller, nested);
        add_part(speller, nested, read_structor(speller, name, class));
    } else if (isdigit((unsigned char)*speller->next)) {
        const char *part = spell_source_name(speller);
        nested->class = part ? part : "";
        add_part(speller, nested, part);
        spell_accept(speller, "M"); /* the part is a variable; its initializer has a lambda */
    } else if (spell_accept(speller, "T")) {
        add_part(speller, nested, spell_template_parameter(speller).left);
    } else {
        add_part(speller, nested, read_operator(speller, name));
    }
}

static const char *read_qualifiers(struct speller *speller)
{
    bool is_volatile = spell_accept(speller, "V"), is_const = spell_accept(speller, "K");
    const char *reference = spell_accept(speller, "R")   ? " &"
                            : spell_accept(speller, "O") ? " &&"
                                                         : "";
    return spell_text(speller, "%s%s%s", is_const ? " const" : "", is_volatile ? " volatile" : "",
                      reference);
}

static struct spelled_name read_nested(struct speller *speller, bool remembers)
{
    struct spelled_name name = {.qualifiers = read_qualifiers(speller), .kind = ""};
    struct nested nested = {.prefix = {"", "", false}, .class = ""};
    while (!speller->failed && !spell_accept(speller, "E")) {
        if (nested.is_new && remembers)
            spell_remember(speller, nested.prefix);
        nested.is_new = false;
        read_part(speller, &nested, &name);
    }
    name.text = nested.prefix.left;
    return name;
}

/* Reads a name outside classes, possibly in namespace std. */
static struct spelled_name read_plain(struct speller *speller)
{
    struct spelled_name name = {.qualifiers = "", .kind = ""};
    const char *space = spell_accept(speller, "St") ? "std::" : "";
    const char *part;
    if (isdigit((unsigned char)*speller->next))
        part = spell_source_name(speller);
    else if (!(part = read_unnamed(speller)))
        part = read_operator(speller, &name);
    name.text = spell_text(speller, "%s%s", space, part ? part : "");
    if (spell_accept(speller, "I")) {
        spell_remember(speller, (struct spelling){name.text, "", false});
        const char *arguments = spell_arguments(speller);
        name.text = spell_text(speller, "%s%s", name.text, arguments);
        name.has_arguments = true;
    }
    return name;
}

/* Reads a reference to an earlier template of the name, with its new arguments. */
static struct spelled_name read_mentioned(struct speller *speller)
{
    struct spelled_name name = {.qualifiers = "", .kind = "", .has_arguments = true};
    name.text = spell_substitution(speller).left;
    if (!spell_accept(speller, "I"))
        spell_fail(speller);
    const char *arguments = spell_arguments(speller);
    name.text = spell_text(speller, "%s%s", name.text, arguments);
    return name;
}

/* Reads the number of a local name among equal names in its function. "_0" is the second, "__12_"
 * the fourteenth; the first has no number. */
static const char *read_discriminator(struct speller *speller)
{
    if (!spell_accept(speller, "_"))
        return "";
    bool is_long = spell_accept(speller, "_");
    size_t number = spell_number(speller) + 2;
    if (is_long && !spell_accept(speller, "_"))
        spell_fail(speller);
    return spell_text(speller, " (instance %zu)", number);
}

/* Reads a name inside a function. "d_" marks a name in the last default argument, "d0_" a name in
 * the default argument before the last. */
static struct spelled_name read_local(struct speller *speller)
{
    struct spelled_name name = {.text = "", .qualifiers = "", .kind = ""};
    if (spell_enter(speller)) {
        const char *function = spell_encoding(speller);
        if (!spell_accept(speller, "E"))
            spell_fail(speller);
        if (spell_accept(speller, "d"))
            function = spell_text(speller, "%s::[default argument %zu (from end)]", function,
                                  read_instance(speller));
        name = spell_name(speller);
        const char *instance = read_discriminator(speller);
        name.text = spell_text(speller, "%s::%s%s", function, name.text, instance);
    }
    spell_leave(speller);
    return name;
}

const char *spell_scope(struct speller *speller)
{
    return read_nested(speller, false).text;
}

struct spelled_name spell_name(struct speller *speller)
{
    if (spell_accept(speller, "Z"))
        return read_local(speller);
    if (spell_accept(speller, "N"))
        return read_nested(speller, true);
    if (speller->next[0] == 'S' && speller->next[1] != 't') {
        speller->next++;
        return read_mentioned(speller);
    }
    return read_plain(speller);
}

/* A name, and the result and parameters if it is a function. */
struct encoding {
    struct spelled_name name;
    bool has_result;
    struct spelling result;
    const char *parameters; /* NULL if the name is not that of a function */
};

static struct encoding read_encoding(struct speller *speller)
{
    struct encoding encoding = {.name = spell_name(speller), .result = {"", "", false}};
    if (!*speller->next || *speller->next == 'E' || speller->failed)
        return encoding;
    encoding.has_result = encoding.name.has_arguments && !encoding.name.has_no_result;
    if (encoding.has_result)
        encoding.result = spell_type(speller);
    encoding.parameters = spell_parameters(speller);
    return encoding;
}

const char *spell_encoding(struct speller *speller)
{
    struct encoding encoding = read_encoding(speller);
    const struct spelled_name *name = &encoding.name;
    if (!encoding.parameters)
        return name->text;
    return spell_text(speller, "%s%s%s%s%s%s%s%s", encoding.result.left,
                      spell_blank(&encoding.result), encoding.result.right,
                      encoding.has_result ? " " : "", name->text, encoding.parameters,
                      name->qualifiers, name->kind);
}

const char *spell_encoded_name(struct speller *speller)
{
    struct encoding encoding = read_encoding(speller);
    return spell_text(speller, "%s%s", encoding.name.text, encoding.name.qualifiers);
}

/* NOLINTEND(misc-no-recursion) */
