/* Reads paths in mangled names of Rust; see rust_reader.h. */
#include "readable_name/rust_reader.h"

/* Reads a lifetime, for which the mangled name has a number. Writes '_, because the name of the
 * lifetime is unknown. */
static void read_lifetime(struct rust *rust)
{
    rust_read_base62(rust);
    rust_put(rust, "'_");
}

/* NOLINTBEGIN(misc-no-recursion): see rust_enter */

void rust_read_generic_argument(struct rust *rust)
{
    if (rust_accept(rust, 'L'))
        read_lifetime(rust);
    else if (rust_accept(rust, 'K'))
        rust_read_constant(rust);
    else
        rust_read_type(rust);
}

/* Skips the path of an implementation. The readable name has the type and the trait of the
 * implementation instead. */
static void skip_impl_path(struct rust *rust)
{
    bool was_silent = rust->is_silent;
    rust->is_silent = true;
    rust_read_tagged_base62(rust, 's');
    rust_read_path(rust, false);
    rust->is_silent = was_silent;
}

static void read_type_as_trait(struct rust *rust, bool has_trait)
{
    rust_put(rust, "<");
    rust_read_type(rust);
    if (has_trait) {
        rust_put(rust, " as ");
        rust_read_path(rust, false);
    }
    rust_put(rust, ">");
}

/* Writes a closure, or another item that has a number instead of a name. */
static void put_special(struct rust *rust, char namespace, struct rust_identifier identifier,
                        uint64_t number)
{
    char other[] = {namespace, 0};
    rust_put(rust, "::{");
    rust_put(rust, namespace == 'C' ? "closure" : namespace == 'S' ? "shim" : other);
    if (identifier.size) {
        rust_put(rust, ":");
        rust_put_identifier(rust, identifier);
    }
    rust_put(rust, "#");
    rust_put_number(rust, number);
    rust_put(rust, "}");
}

static void read_nested(struct rust *rust, bool in_value)
{
    char namespace = rust_take(rust);
    rust_read_path(rust, in_value);
    uint64_t number = rust_read_tagged_base62(rust, 's');
    struct rust_identifier identifier = rust_read_identifier(rust);
    if (namespace >= 'A' && namespace <= 'Z') {
        put_special(rust, namespace, identifier, number);
    } else if (identifier.size) {
        rust_put(rust, "::");
        rust_put_identifier(rust, identifier);
    }
}

static void read_generic(struct rust *rust, bool in_value)
{
    rust_read_path(rust, in_value);
    rust_put(rust, in_value ? "::<" : "<");
    rust_read_list(rust, rust_read_generic_argument);
    rust_put(rust, ">");
}

static void read_reference_path(struct rust *rust, bool in_value)
{
    const char *after = rust_follow_reference(rust);
    if (!rust->is_silent)
        rust_read_path(rust, in_value);
    rust->next = after;
}

static void read_crate(struct rust *rust)
{
    rust_read_tagged_base62(rust, 's');
    rust_put_identifier(rust, rust_read_identifier(rust));
}

void rust_read_path(struct rust *rust, bool in_value)
{
    if (rust_enter(rust)) {
        char tag = rust_take(rust);
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
    rust_leave(rust);
}

/* NOLINTEND(misc-no-recursion) */
