/* Converts mangled C++ names to the form in which nvlink shows them; see readable_name.h.
 *
 * The mangling is that of the Itanium C++ ABI. To find nvlink's spelling of each part, functions
 * with the names that a C++ library exports, and with similar names, were linked with nvlink
 * 13.0.88. For example, nvlink writes "const int &" where the demangler of base/demangle.h writes
 * "int const&". That demangler is used if the spelling need not be nvlink's, and for names that the
 * parser of this folder cannot read. */
#include "readable_name/readable_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "readable_name/rust_name.h"
#include "readable_name/spelling.h"
#include "readable_name/static_name.h"

enum { LONGEST_NAME = 1 << 16 };

/* Returns the name without the id of its file. Names of static kernels and variables begin with
 * "__nv_static_", the size of an id, "_", the id, and "_". Any other name is returned unchanged. */
static const char *without_file_id(const char *name)
{
    static const char PREFIX[] = "__nv_static_";
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return name;
    char *end;
    unsigned long size = strtoul(name + strlen(PREFIX), &end, 10);
    bool has_id = *end == '_' && size < strlen(end + 1) && end[size + 1] == '_' && end[size + 2];
    return has_id ? end + size + 2 : name;
}

/* Returns the mangled part of a name. It follows the dollar sign at the start of a name that a
 * compiler generated, or the id of a file. Returns the name itself if no mangled part follows. */
static const char *mangled_part(const char *name)
{
    const char *part = *name == '$' ? name + 1 : without_file_id(name);
    return strncmp(part, "_Z", 2) ? name : part;
}

static const char *read_offset(struct speller *speller)
{
    const char *sign = spell_accept(speller, "n") ? "-" : "";
    size_t number = spell_number(speller);
    if (!spell_accept(speller, "_"))
        spell_fail(speller);
    return arena_format(speller->arena, "%s%zu", sign, number);
}

/* Returns the text that precedes a thunk's function, such as "Thunk for (offset 8) ". Returns "" if
 * the name is not that of a thunk. */
static const char *read_thunk(struct speller *speller)
{
    if (spell_accept(speller, "Th"))
        return arena_format(speller->arena, "Thunk for (offset %s) ", read_offset(speller));
    if (!spell_accept(speller, "Tv"))
        return "";
    const char *offset = read_offset(speller);
    return arena_format(speller->arena, "Thunk for (offset %s, virtual offset %s) ", offset,
                        read_offset(speller));
}

/* Returns the allowance of a name: the number of bytes of text that are not charged to the budget
 * of all names. See struct readable_names. */
static size_t own_text(const char *name)
{
    size_t size = strlen(name);
    return size < READABLE_TEXT_OF_NAME / READABLE_TEXT_FOR_CHARACTER
               ? size * READABLE_TEXT_FOR_CHARACTER
               : READABLE_TEXT_OF_NAME;
}

static size_t most_text(const struct readable_names *names, size_t own)
{
    size_t most = own + READABLE_TEXT_OF_ALL - names->spent;
    return most < READABLE_TEXT_OF_NAME ? most : READABLE_TEXT_OF_NAME;
}

static void spend(struct readable_names *names, size_t size, size_t own)
{
    size_t more = size > own ? size - own : 0, left = READABLE_TEXT_OF_ALL - names->spent;
    names->spent += more < left ? more : left;
}

/* Reads a mangled name up to its end or a dollar sign, sets `rest` to that position, and returns
 * the readable form. Returns NULL if the name cannot be read, or if its text exceeds the budget. */
static const char *read_name(struct readable_names *names, const char *name, const char **rest)
{
    struct arena *arena = names->arena, pieces;
    size_t own = own_text(name);
    struct speller speller = {.arena = &pieces, .next = name, .most_text = most_text(names, own)};
    const char *result = NULL;
    arena_init(&pieces, arena->out_of_memory, arena->owner);
    if (spell_accept(&speller, "_Z")) {
        const char *thunk = read_thunk(&speller);
        const char *text = arena_join(&pieces, thunk, spell_encoding(&speller));
        size_t size = strlen(text);
        *rest = speller.next;
        if (!speller.failed && (!**rest || **rest == '$') && size <= LONGEST_NAME)
            result = arena_copy_string(arena, text, size);
    }
    spend(names, speller.text_size, own);
    arena_destroy(&pieces);
    return result;
}

static const char *read_rust_name(struct readable_names *names, const char *name)
{
    size_t own = own_text(name), size;
    const char *text = rust_name(names->arena, name, most_text(names, own), &size);
    spend(names, size, own);
    return text;
}

/* Compilers name a copy of a function FUNCTION$N, where N is a number or another name. */
const char *readable_name(struct readable_names *names, const char *name, bool as_nvlink)
{
    const char *mangled = mangled_part(name), *rest = "", *end = "";
    const char *rust = as_nvlink ? NULL : read_rust_name(names, mangled);
    if (rust)
        return rust;
    const char *text = read_name(names, mangled, &rest);
    if (!text)
        return as_nvlink ? name : demangle_name(names->arena, mangled);
    if (!*rest || (rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]))
        return text;
    const char *copy = read_name(names, rest + 1, &end);
    return arena_format(names->arena, "[clone %s] %s", text, copy && !*end ? copy : rest + 1);
}

/* Returns the readable form that libsupc++ makes. Returns NULL for a name that libsupc++ cannot
 * read, or if the form exceeds the budget. */
static char *compiler_name(struct readable_names *names, const char *name)
{
    enum { LONGEST_READABLE = 16384 };
    char readable[LONGEST_READABLE];
    size_t own = own_text(name), most = most_text(names, own);
    *readable = 0;
    bool is_read = demangle_into(mangled_part(name), readable,
                                 most < LONGEST_READABLE ? most + 1 : LONGEST_READABLE);
    size_t size =
        strlen(readable); /* also of a form that is too long, because it takes time, too */
    spend(names, size, own);
    return is_read ? arena_copy_string(names->arena, readable, size) : NULL;
}

const char *readable_message_name(struct readable_names *names, const char *name)
{
    const char *own = without_file_id(name);
    if (own != name && strncmp(own, "_Z", 2) != 0)
        return own; /* a name of C */
    char *readable = compiler_name(names, name);
    if (!readable)
        return readable_name(names, name, false);
    static_names_shorten(readable);
    return readable;
}
