/* Reads mangled names of Rust; see rust_name.h. The v0 mangling is that of Rust RFC 2603. Names are
 * spelled as in the alternate form of rustc-demangle, which leaves out hashes.
 *
 * The parser is recursive, so its depth is limited. Back references can make a long text of a short
 * name, so the text is limited, too. */
#include "readable_name/rust_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum { MOST_TEXT = 64 << 10, MOST_DEPTH = 100 };

struct rust {
    const char *name; /* after the prefix; positions in back references count from here */
    const char *next;
    char *text;
    size_t size;
    size_t capacity; /* number of bytes that `text` may have, with its NUL */
    unsigned depth;
    bool failed;
    bool is_legacy;
    bool is_silent; /* the parser adds nothing to the text */
};

static void read_path(struct rust *rust, bool in_value);
static void read_type(struct rust *rust);
static void read_const(struct rust *rust);

static void put_bytes(struct rust *rust, const char *bytes, size_t size)
{
    if (rust->is_silent)
        return;
    rust->failed |= size >= rust->capacity - rust->size;
    if (rust->failed)
        return;
    memcpy(rust->text + rust->size, bytes, size);
    rust->size += size;
    rust->text[rust->size] = 0;
}

static void put(struct rust *rust, const char *text)
{
    put_bytes(rust, text, strlen(text));
}

static void put_number(struct rust *rust, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    put(rust, text);
}

static bool accept(struct rust *rust, char c)
{
    bool is_next = !rust->failed && *rust->next == c;
    rust->next += is_next;
    return is_next;
}

/* Returns the next character and skips it. At the end of the name, fails and returns 0. */
static char take(struct rust *rust)
{
    rust->failed |= !*rust->next;
    return rust->failed ? 0 : *rust->next++;
}

/* Enters a level of nesting. Returns false if there are too many. The caller must call leave in
 * both cases. */
static bool enter(struct rust *rust)
{
    rust->failed |= ++rust->depth > MOST_DEPTH;
    return !rust->failed;
}

static void leave(struct rust *rust)
{
    rust->depth--;
}

/* --------------------------------------------------------------------------------------------- */
/* Numbers and identifiers                                                                       */

/* Reads a number in base 62: "_" is 0, "0_" is 1, and so on. */
static uint64_t read_base62(struct rust *rust)
{
    static const char DIGITS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t number = 0;
    if (accept(rust, '_'))
        return 0;
    while (!accept(rust, '_')) {
        char c = take(rust);
        const char *digit = c ? strchr(DIGITS, c) : NULL;
        rust->failed |= !digit || number > UINT64_MAX / 64;
        if (rust->failed)
            return 0;
        number = number * 62 + (uint64_t)(digit - DIGITS);
    }
    return number + 1;
}

/* Reads a tag and a number, and returns the number + 1. Returns 0 if there is no such tag. */
static uint64_t read_tagged_base62(struct rust *rust, char tag)
{
    return accept(rust, tag) ? read_base62(rust) + 1 : 0;
}

struct identifier {
    const char *bytes;
    size_t size;
    bool is_punycode;
};

static struct identifier read_plain_identifier(struct rust *rust)
{
    struct identifier identifier = {.is_punycode = accept(rust, 'u')};
    const char *start = rust->next;
    while (!rust->failed && *rust->next >= '0' && *rust->next <= '9' && *start != '0' &&
           identifier.size < MOST_TEXT)
        identifier.size = identifier.size * 10 + (size_t)(*rust->next++ - '0');
    if (rust->next == start)
        rust->failed |= !accept(rust, '0');
    if (!rust->is_legacy) /* in v0 a "_" may separate the number from the name */
        accept(rust, '_');
    rust->failed |= strnlen(rust->next, identifier.size) < identifier.size;
    if (rust->failed)
        return (struct identifier){"", 0, false};
    identifier.bytes = rust->next;
    rust->next += identifier.size;
    return identifier;
}

/* Writes an identifier. Letters outside ASCII remain encoded, as in punycode{...} of
 * rustc-demangle. */
static void put_identifier(struct rust *rust, struct identifier identifier)
{
    put(rust, identifier.is_punycode ? "punycode{" : "");
    put_bytes(rust, identifier.bytes, identifier.size);
    put(rust, identifier.is_punycode ? "}" : "");
}

/* Reads a back reference, and moves to its target, an earlier position of the name. Returns the
 * position after the reference, to which the caller must return. */
static const char *follow_reference(struct rust *rust)
{
    size_t here = (size_t)(rust->next - rust->name) - 1;
    uint64_t target = read_base62(rust);
    const char *after = rust->next;
    rust->failed |= target >= here;
    if (!rust->failed)
        rust->next = rust->name + target;
    return after;
}

/* --------------------------------------------------------------------------------------------- */
/* Paths                                                                                         */

/* Reads a lifetime, for which the mangled name has a number. Writes '_, because the name of the
 * lifetime is unknown. */
static void read_lifetime(struct rust *rust)
{
    read_base62(rust);
    put(rust, "'_");
}

static void read_generic_argument(struct rust *rust)
{
    if (accept(rust, 'L'))
        read_lifetime(rust);
    else if (accept(rust, 'K'))
        read_const(rust);
    else
        read_type(rust);
}

/* Reads elements up to an E, and writes commas between them. Returns the number of elements. */
static size_t read_list(struct rust *rust, void (*element)(struct rust *rust))
{
    size_t count = 0;
    for (; !rust->failed && !accept(rust, 'E'); count++) {
        put(rust, count ? ", " : "");
        element(rust);
    }
    return count;
}

/* NOLINTBEGIN(misc-no-recursion): each cycle of calls includes enter, which limits the depth */

/* Skips the path of an implementation. The readable name has the type and the trait of the
 * implementation instead. */
static void skip_impl_path(struct rust *rust)
{
    bool was_silent = rust->is_silent;
    rust->is_silent = true;
    read_tagged_base62(rust, 's');
    read_path(rust, false);
    rust->is_silent = was_silent;
}

static void read_type_as_trait(struct rust *rust, bool has_trait)
{
    put(rust, "<");
    read_type(rust);
    if (has_trait) {
        put(rust, " as ");
        read_path(rust, false);
    }
    put(rust, ">");
}

/* Writes a closure, or another item that has a number instead of a name. */
static void put_special(struct rust *rust, char namespace, struct identifier identifier,
                        uint64_t number)
{
    char other[] = {namespace, 0};
    put(rust, "::{");
    put(rust, namespace == 'C' ? "closure" : namespace == 'S' ? "shim" : other);
    if (identifier.size) {
        put(rust, ":");
        put_identifier(rust, identifier);
    }
    put(rust, "#");
    put_number(rust, number);
    put(rust, "}");
}

static void read_nested(struct rust *rust, bool in_value)
{
    char namespace = take(rust);
    read_path(rust, in_value);
    uint64_t number = read_tagged_base62(rust, 's');
    struct identifier identifier = read_plain_identifier(rust);
    if (namespace >= 'A' && namespace <= 'Z') {
        put_special(rust, namespace, identifier, number);
    } else if (identifier.size) {
        put(rust, "::");
        put_identifier(rust, identifier);
    }
}

static void read_generic(struct rust *rust, bool in_value)
{
    read_path(rust, in_value);
    put(rust, in_value ? "::<" : "<");
    read_list(rust, read_generic_argument);
    put(rust, ">");
}

static void read_reference_path(struct rust *rust, bool in_value)
{
    const char *after = follow_reference(rust);
    if (!rust->is_silent)
        read_path(rust, in_value);
    rust->next = after;
}

static void read_crate(struct rust *rust)
{
    read_tagged_base62(rust, 's');
    put_identifier(rust, read_plain_identifier(rust));
}

static void read_path(struct rust *rust, bool in_value)
{
    if (enter(rust)) {
        char tag = take(rust);
        if (tag == 'M' || tag == 'X')
            skip_impl_path(rust);
        if (tag == 'C')
            read_crate(rust);
        else if (tag == 'M' || tag == 'X' || tag == 'Y')
            read_type_as_trait(rust, tag != 'M');
        else if (tag == 'N')
            read_nested(rust, in_value);
        else if (tag == 'I')
            read_generic(rust, in_value);
        else if (tag == 'B')
            read_reference_path(rust, in_value);
        else
            rust->failed = true;
    }
    leave(rust);
}

/* --------------------------------------------------------------------------------------------- */
/* Types                                                                                         */

static const char *basic_type(char tag)
{
    static const char NAMES[26][8] = {"i8",   "bool",  "char",  "f64", "str", "f32", "",
                                      "u8",   "isize", "usize", "",    "i32", "u32", "i128",
                                      "u128", "_",     "",      "",    "i16", "u16", "()",
                                      "...",  "",      "i64",   "u64", "!"};
    return tag >= 'a' && tag <= 'z' ? NAMES[tag - 'a'] : "";
}

static void read_reference(struct rust *rust, bool is_mutable)
{
    put(rust, "&");
    if (accept(rust, 'L') && read_base62(rust))
        put(rust, "'_ ");
    put(rust, is_mutable ? "mut " : "");
    read_type(rust);
}

static void read_array(struct rust *rust, bool has_size)
{
    put(rust, "[");
    read_type(rust);
    if (has_size) {
        put(rust, "; ");
        read_const(rust);
    }
    put(rust, "]");
}

static void read_tuple(struct rust *rust)
{
    put(rust, "(");
    put(rust, read_list(rust, read_type) == 1 ? ",)" : ")");
}

/* Reads the name of an ABI, in which underscores stand for hyphens. */
static void read_abi(struct rust *rust)
{
    put(rust, "extern \"");
    struct identifier abi = {"C", 1, false};
    if (!accept(rust, 'C'))
        abi = read_plain_identifier(rust);
    for (size_t i = 0; i < abi.size; i++)
        put_bytes(rust, abi.bytes[i] == '_' ? "-" : &abi.bytes[i], 1);
    put(rust, "\" ");
}

static void read_function(struct rust *rust)
{
    read_tagged_base62(rust, 'G');
    put(rust, accept(rust, 'U') ? "unsafe " : "");
    if (accept(rust, 'K'))
        read_abi(rust);
    put(rust, "fn(");
    read_list(rust, read_type);
    put(rust, ")");
    if (accept(rust, 'u'))
        return;
    put(rust, " -> ");
    read_type(rust);
}

/* Reads the path of a trait. The list of its generic arguments is written without the closing
 * bracket, because associated types may follow in the same list. Returns true if an opening bracket
 * was written. */
static bool read_open_path(struct rust *rust)
{
    bool is_open = false;
    if (!enter(rust)) {
        leave(rust);
        return false;
    }
    if (accept(rust, 'B')) {
        const char *after = follow_reference(rust);
        is_open = !rust->is_silent && read_open_path(rust);
        rust->next = after;
    } else if (accept(rust, 'I')) {
        read_path(rust, false);
        put(rust, "<");
        read_list(rust, read_generic_argument);
        is_open = true;
    } else {
        read_path(rust, false);
    }
    leave(rust);
    return is_open;
}

/* Reads the bounds of a trait object. Associated types follow the arguments of the trait, in the
 * same brackets: Trait<u8, Item = u8>. */
static void read_dyn_trait(struct rust *rust)
{
    bool is_open = read_open_path(rust);
    for (; accept(rust, 'p'); is_open = true) {
        put(rust, is_open ? ", " : "<");
        put_identifier(rust, read_plain_identifier(rust));
        put(rust, " = ");
        read_type(rust);
    }
    put(rust, is_open ? ">" : "");
}

static void read_dyn(struct rust *rust)
{
    put(rust, "dyn ");
    read_tagged_base62(rust, 'G');
    for (bool first = true; !rust->failed && !accept(rust, 'E'); first = false) {
        put(rust, first ? "" : " + ");
        read_dyn_trait(rust);
    }
    rust->failed |= !accept(rust, 'L');
    if (read_base62(rust))
        put(rust, " + '_");
}

static void read_reference_type(struct rust *rust, void (*read)(struct rust *rust))
{
    const char *after = follow_reference(rust);
    if (!rust->is_silent)
        read(rust);
    rust->next = after;
}

static void read_pointer(struct rust *rust, const char *kind)
{
    put(rust, kind);
    read_type(rust);
}

/* Reads a type that is neither basic nor a path. Returns false if a path begins with the tag. */
static bool read_composed_type(struct rust *rust, char tag)
{
    switch (tag) {
    case 'A':
    case 'S':
        read_array(rust, tag == 'A');
        return true;
    case 'T':
        read_tuple(rust);
        return true;
    case 'R':
    case 'Q':
        read_reference(rust, tag == 'Q');
        return true;
    case 'P':
        read_pointer(rust, "*const ");
        return true;
    case 'O':
        read_pointer(rust, "*mut ");
        return true;
    case 'F':
        read_function(rust);
        return true;
    case 'D':
        read_dyn(rust);
        return true;
    case 'B':
        read_reference_type(rust, read_type);
        return true;
    default:
        return false;
    }
}

static void read_type(struct rust *rust)
{
    if (enter(rust)) {
        char tag = take(rust);
        const char *basic = basic_type(tag);
        if (*basic) {
            put(rust, basic);
        } else if (!read_composed_type(rust, tag)) {
            rust->next -= !rust->failed;
            read_path(rust, false);
        }
    }
    leave(rust);
}

/* NOLINTEND(misc-no-recursion) */

/* --------------------------------------------------------------------------------------------- */
/* Constants                                                                                     */

/* Reads an integer, whose digits are hexadecimal. Like rustc-demangle, prints it in decimal if it
 * fits into 64 bits. */
static void read_integer(struct rust *rust)
{
    put(rust, accept(rust, 'n') ? "-" : "");
    const char *digits = rust->next;
    size_t size = strspn(digits, "0123456789abcdef");
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number =
            number << 4 | (uint64_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
    rust->next += size;
    rust->failed |= !accept(rust, '_');
    if (size <= 16) {
        put_number(rust, number);
    } else {
        put(rust, "0x");
        put_bytes(rust, digits, size);
    }
}

static void read_boolean(struct rust *rust)
{
    bool is_true = accept(rust, '1');
    rust->failed |= (!is_true && !accept(rust, '0')) || !accept(rust, '_');
    put(rust, is_true ? "true" : "false");
}

static void read_character(struct rust *rust)
{
    char *end, text[24];
    unsigned long code = 0;
    for (end = text; *rust->next && *rust->next != '_' && end < text + 8; end++) {
        char c = take(rust);
        code = code << 4 | (unsigned long)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    rust->failed |= !accept(rust, '_');
    bool is_plain = code >= ' ' && code < 0x7f && code != '\'' && code != '\\';
    snprintf(text, sizeof text, is_plain ? "'%c'" : "'\\u{%x}'", (unsigned)code);
    put(rust, text);
}

/* Reads a constant: a placeholder, a value of a basic type, or a back reference to a constant.
 * Names with other constants, an unstable feature of the compiler, cannot be read. */
static void read_const(struct rust *rust)
{
    if (accept(rust, 'B')) {
        if (enter(rust))
            read_reference_type(rust, read_const);
        leave(rust);
        return;
    }
    char type = take(rust);
    if (type == 'p')
        put(rust, "_");
    else if (type == 'b')
        read_boolean(rust);
    else if (type == 'c')
        read_character(rust);
    else if (type && strchr("ahijlmnostxy", type))
        read_integer(rust);
    else
        rust->failed = true;
}

/* --------------------------------------------------------------------------------------------- */
/* Whole names                                                                                   */

/* Reads a name in the v0 mangling. After the path, the crate that instantiated a generic function
 * can follow, and a suffix of a compiler after a dot or a dollar sign. Both are left out. */
static bool read_v0(struct rust *rust)
{
    read_path(rust, true);
    if (*rust->next && !strchr(".$", *rust->next)) {
        rust->is_silent = true;
        read_path(rust, false);
    }
    return !rust->failed && (!*rust->next || strchr(".$", *rust->next));
}

static const struct escape {
    char code[6];
    char character;
} ESCAPES[] = {
    {"$SP$", '@'},   {"$BP$", '*'},  {"$RF$", '&'},  {"$LT$", '<'},  {"$GT$", '>'},
    {"$LP$", '('},   {"$RP$", ')'},  {"$C$", ','},   {"$u20$", ' '}, {"$u22$", '"'},
    {"$u27$", '\''}, {"$u2b$", '+'}, {"$u3b$", ';'}, {"$u5b$", '['}, {"$u5d$", ']'},
    {"$u7b$", '{'},  {"$u7d$", '}'}, {"$u7e$", '~'}, {"$u3d$", '='}, {"$u21$", '!'},
};

static size_t put_escape(struct rust *rust, const char *code)
{
    for (size_t i = 0; i < sizeof ESCAPES / sizeof *ESCAPES; i++) {
        size_t size = strnlen(ESCAPES[i].code, sizeof ESCAPES[i].code);
        if (!strncmp(code, ESCAPES[i].code, size)) {
            put_bytes(rust, &ESCAPES[i].character, 1);
            return size;
        }
    }
    put_bytes(rust, code, 1);
    return 1;
}

static void put_legacy_part(struct rust *rust, const char *part, size_t size)
{
    const char *end = part + size;
    if (size > 1 && part[0] == '_' && part[1] == '$')
        part++;
    while (part < end) {
        if (end - part > 1 && part[0] == '.' && part[1] == '.') {
            put(rust, "::");
            part += 2;
        } else if (*part == '$') {
            part += put_escape(rust, part);
        } else {
            put_bytes(rust, part++, 1);
        }
    }
}

static bool is_hash(struct identifier part)
{
    enum { HASH_SIZE = 17 };
    return part.size == HASH_SIZE && *part.bytes == 'h' &&
           strspn(part.bytes + 1, "0123456789abcdef") == HASH_SIZE - 1;
}

/* Reads a name in the legacy mangling. Such a name looks like one of C++, but its last part is a
 * hash. */
static bool read_legacy(struct rust *rust)
{
    struct identifier part = read_plain_identifier(rust);
    for (bool first = true; !rust->failed && !is_hash(part); first = false) {
        put(rust, first ? "" : "::");
        put_legacy_part(rust, part.bytes, part.size);
        if (*rust->next < '1' || *rust->next > '9')
            return false;
        part = read_plain_identifier(rust);
    }
    return accept(rust, 'E') && rust->size && (!*rust->next || *rust->next == '.');
}

/* Returns the name with dots. PTX has no dots in names, so LLVM writes "_$_" in PTX
 * (NVPTXAssignValidGlobalNames). */
static const char *with_dots(struct arena *arena, const char *name)
{
    char *copy = arena_copy_string(arena, name, strlen(name)), *end = copy;
    for (const char *next = copy; *next; end++) {
        bool is_dot = !strncmp(next, "_$_", 3);
        *end = is_dot ? '.' : *next;
        next += is_dot ? 3 : 1;
    }
    *end = 0;
    return copy;
}

const char *rust_name(struct arena *arena, const char *name, size_t most_text, size_t *text_size)
{
    *text_size = 0;
    bool is_v0 = !strncmp(name, "_R", 2) && name[2] >= 'A' && name[2] <= 'Z';
    if (!is_v0 && strncmp(name, "_ZN", 3) != 0)
        return NULL;
    char text[MOST_TEXT];
    const char *start = is_v0 ? name + 2 : with_dots(arena, name) + 3;
    struct rust rust = {.name = start,
                        .next = start,
                        .text = text,
                        .capacity = most_text < MOST_TEXT ? most_text + 1 : MOST_TEXT,
                        .is_legacy = !is_v0};
    bool is_read = is_v0 ? read_v0(&rust) : read_legacy(&rust);
    *text_size = rust.size;
    return is_read ? arena_copy_string(arena, text, rust.size) : NULL;
}
