/* A parser of mangled names of Rust, for rust_name.c. Paths are in rust_path.c, types in
 * rust_type.c, constants in rust_constant.c, shared functions in rust_reader.c.
 *
 * If a name cannot be parsed or exceeds a limit, `failed` is set, and the text is meaningless. */
#ifndef WARPLD_READABLE_NAME_RUST_READER_H
#define WARPLD_READABLE_NAME_RUST_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of a readable name, with its NUL. Back references can make a long text of a short
 * name. */
enum { RUST_MOST_TEXT = 64 << 10 };

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

/* An identifier in the mangled name. */
struct rust_identifier {
    const char *bytes;
    size_t size;
    bool is_punycode;
};

/* Append to the text. Fail if it has too little capacity. */
void rust_put_bytes(struct rust *rust, const char *bytes, size_t size);
void rust_put(struct rust *rust, const char *text);
void rust_put_number(struct rust *rust, uint64_t number);

/* Skips the character `c` and returns true if it is next. */
bool rust_accept(struct rust *rust, char c);

/* Returns the next character and skips it. At the end of the name, fails and returns 0. */
char rust_take(struct rust *rust);

/* Enters a level of nesting. Fails and returns false if there are too many. The caller must call
 * rust_leave in both cases. The parser is recursive, and each cycle of calls includes rust_enter,
 * which limits the depth. */
bool rust_enter(struct rust *rust);
void rust_leave(struct rust *rust);

/* Reads a number in base 62: "_" is 0, "0_" is 1, and so on. */
uint64_t rust_read_base62(struct rust *rust);

/* Reads a tag and a number, and returns the number + 1. Returns 0 if there is no such tag. */
uint64_t rust_read_tagged_base62(struct rust *rust, char tag);

/* Reads an identifier, which is a decimal size and that many bytes. */
struct rust_identifier rust_read_identifier(struct rust *rust);

/* Writes an identifier. Letters outside ASCII remain encoded, as in punycode{...} of
 * rustc-demangle. */
void rust_put_identifier(struct rust *rust, struct rust_identifier identifier);

/* Reads a back reference, and moves to its target, an earlier position of the name. Returns the
 * position after the reference, to which the caller must return. */
const char *rust_follow_reference(struct rust *rust);

/* Reads a back reference, and its target with `read`. Skips the target if the parser is silent. */
void rust_read_referenced(struct rust *rust, void (*read)(struct rust *rust));

/* Reads elements up to an E, and writes commas between them. Returns the number of elements. */
size_t rust_read_list(struct rust *rust, void (*element)(struct rust *rust));

/* Reads a path. In a value, which is a name of a function or a variable, "::" precedes the generic
 * arguments. */
void rust_read_path(struct rust *rust, bool in_value);

/* Reads a generic argument of a path: a lifetime, a constant or a type. */
void rust_read_generic_argument(struct rust *rust);

void rust_read_type(struct rust *rust);

/* Reads a constant: a placeholder, a value of a basic type, or a back reference to a constant.
 * Names with other constants, an unstable feature of the compiler, cannot be read. */
void rust_read_constant(struct rust *rust);

#endif
