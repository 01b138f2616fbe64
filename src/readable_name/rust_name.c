/* Reads mangled names of Rust; see rust_name.h. The v0 mangling is that of Rust RFC 2603. Names are
 * spelled as in the alternate form of rustc-demangle, which leaves out hashes. */
#include "readable_name/rust_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "readable_name/rust_reader.h"

/* Reads a name in the v0 mangling. After the path, the crate that instantiated a generic function
 * can follow, and a suffix of a compiler after a dot or a dollar sign. Both are left out. */
static bool read_v0(struct rust *rust)
{
    rust_read_path(rust, true);
    if (*rust->next && !strchr(".$", *rust->next)) {
        rust->is_silent = true;
        rust_read_path(rust, false);
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
            rust_put_bytes(rust, &ESCAPES[i].character, 1);
            return size;
        }
    }
    rust_put_bytes(rust, code, 1);
    return 1;
}

static void put_legacy_part(struct rust *rust, const char *part, size_t size)
{
    const char *end = part + size;
    if (size > 1 && part[0] == '_' && part[1] == '$')
        part++;
    while (part < end) {
        if (end - part > 1 && part[0] == '.' && part[1] == '.') {
            rust_put(rust, "::");
            part += 2;
        } else if (*part == '$') {
            part += put_escape(rust, part);
        } else {
            rust_put_bytes(rust, part++, 1);
        }
    }
}

static bool is_hash(struct rust_identifier part)
{
    enum { HASH_SIZE = 17 };
    return part.size == HASH_SIZE && *part.bytes == 'h' &&
           strspn(part.bytes + 1, "0123456789abcdef") == HASH_SIZE - 1;
}

/* Reads a name in the legacy mangling. Such a name looks like one of C++, but its last part is a
 * hash. */
static bool read_legacy(struct rust *rust)
{
    struct rust_identifier part = rust_read_identifier(rust);
    for (bool first = true; !rust->failed && !is_hash(part); first = false) {
        rust_put(rust, first ? "" : "::");
        put_legacy_part(rust, part.bytes, part.size);
        if (*rust->next < '1' || *rust->next > '9')
            return false;
        part = rust_read_identifier(rust);
    }
    return rust_accept(rust, 'E') && rust->size && (!*rust->next || *rust->next == '.');
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
    char text[RUST_MOST_TEXT];
    const char *start = is_v0 ? name + 2 : with_dots(arena, name) + 3;
    struct rust rust = {.name = start,
                        .next = start,
                        .text = text,
                        .capacity = most_text < RUST_MOST_TEXT ? most_text + 1 : RUST_MOST_TEXT,
                        .is_legacy = !is_v0};
    bool is_read = is_v0 ? read_v0(&rust) : read_legacy(&rust);
    *text_size = rust.size;
    return is_read ? arena_copy_string(arena, text, rust.size) : NULL;
}
