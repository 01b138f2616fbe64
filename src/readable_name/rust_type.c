/* Reads types in mangled names of Rust; see rust_reader.h. */
#include "readable_name/rust_reader.h"

static const char *basic_type(char tag)
{
    static const char NAMES[26][8] = {"i8",   "bool",  "char",  "f64", "str", "f32", "",
                                      "u8",   "isize", "usize", "",    "i32", "u32", "i128",
                                      "u128", "_",     "",      "",    "i16", "u16", "()",
                                      "...",  "",      "i64",   "u64", "!"};
    return tag >= 'a' && tag <= 'z' ? NAMES[tag - 'a'] : "";
}

/* NOLINTBEGIN(misc-no-recursion): see rust_enter */

static void read_reference(struct rust *rust, bool is_mutable)
{
    rust_put(rust, "&");
    if (rust_accept(rust, 'L') && rust_read_base62(rust))
        rust_put(rust, "'_ ");
    rust_put(rust, is_mutable ? "mut " : "");
    rust_read_type(rust);
}

static void read_array(struct rust *rust, bool has_size)
{
    rust_put(rust, "[");
    rust_read_type(rust);
    if (has_size) {
        rust_put(rust, "; ");
        rust_read_constant(rust);
    }
    rust_put(rust, "]");
}

static void read_tuple(struct rust *rust)
{
    rust_put(rust, "(");
    rust_put(rust, rust_read_list(rust, rust_read_type) == 1 ? ",)" : ")");
}

/* Reads the name of an ABI, in which underscores stand for hyphens. */
static void read_abi(struct rust *rust)
{
    rust_put(rust, "extern \"");
    struct rust_identifier abi = {"C", 1, false};
    if (!rust_accept(rust, 'C'))
        abi = rust_read_identifier(rust);
    for (size_t i = 0; i < abi.size; i++)
        rust_put_bytes(rust, abi.bytes[i] == '_' ? "-" : &abi.bytes[i], 1);
    rust_put(rust, "\" ");
}

static void read_function(struct rust *rust)
{
    rust_read_tagged_base62(rust, 'G');
    rust_put(rust, rust_accept(rust, 'U') ? "unsafe " : "");
    if (rust_accept(rust, 'K'))
        read_abi(rust);
    rust_put(rust, "fn(");
    rust_read_list(rust, rust_read_type);
    rust_put(rust, ")");
    if (rust_accept(rust, 'u'))
        return;
    rust_put(rust, " -> ");
    rust_read_type(rust);
}

/* Reads the path of a trait. The list of its generic arguments is written without the closing
 * bracket, because associated types may follow in the same list. Returns true if an opening bracket
 * was written. */
static bool read_open_path(struct rust *rust)
{
    bool is_open = false;
    if (!rust_enter(rust)) {
        rust_leave(rust);
        return false;
    }
    if (rust_accept(rust, 'B')) {
        const char *after = rust_follow_reference(rust);
        is_open = !rust->is_silent && read_open_path(rust);
        rust->next = after;
    } else if (rust_accept(rust, 'I')) {
        rust_read_path(rust, false);
        rust_put(rust, "<");
        rust_read_list(rust, rust_read_generic_argument);
        is_open = true;
    } else {
        rust_read_path(rust, false);
    }
    rust_leave(rust);
    return is_open;
}

/* Reads the bounds of a trait object. Associated types follow the arguments of the trait, in the
 * same brackets: Trait<u8, Item = u8>. */
static void read_dyn_trait(struct rust *rust)
{
    bool is_open = read_open_path(rust);
    for (; rust_accept(rust, 'p'); is_open = true) {
        rust_put(rust, is_open ? ", " : "<");
        rust_put_identifier(rust, rust_read_identifier(rust));
        rust_put(rust, " = ");
        rust_read_type(rust);
    }
    rust_put(rust, is_open ? ">" : "");
}

static void read_dyn(struct rust *rust)
{
    rust_put(rust, "dyn ");
    rust_read_tagged_base62(rust, 'G');
    for (bool first = true; !rust->failed && !rust_accept(rust, 'E'); first = false) {
        rust_put(rust, first ? "" : " + ");
        read_dyn_trait(rust);
    }
    rust->failed |= !rust_accept(rust, 'L');
    if (rust_read_base62(rust))
        rust_put(rust, " + '_");
}

static void read_pointer(struct rust *rust, const char *kind)
{
    rust_put(rust, kind);
    rust_read_type(rust);
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
        rust_read_referenced(rust, rust_read_type);
        return true;
    default:
        return false;
    }
}

void rust_read_type(struct rust *rust)
{
    if (rust_enter(rust)) {
        char tag = rust_take(rust);
        const char *basic = basic_type(tag);
        if (*basic) {
            rust_put(rust, basic);
        } else if (!read_composed_type(rust, tag)) {
            rust->next -= !rust->failed;
            rust_read_path(rust, false);
        }
    }
    rust_leave(rust);
}

/* NOLINTEND(misc-no-recursion) */
