/* Demangling; see demangle.h. */
#include "base/demangle.h"

#include <setjmp.h>
#include <string.h>

#include "base/mark_written.h"

/* A function of libsupc++, whose header is for C++ only. It passes the readable form to `take`
 * piece by piece. It allocates on the stack only, so `take` can jump out of it, and nothing is
 * leaked. __cxa_demangle, the usual function, cannot be stopped: a name of 200 characters can have
 * a readable form of 2^50 characters. Returns 0 on success. */
extern int __gcclibcxx_demangle_callback(const char *mangled,
                                         void (*take)(const char *piece, size_t size, void *sink),
                                         void *sink);

/* Since GCC 8 the demangler itself refuses mangled names longer than LONGEST_MANGLED, because the
 * stack that it needs grows with the name. */
enum { LONGEST_MANGLED = 1024, LONGEST_READABLE = 16384 };

struct sink {
    char *text;
    size_t size, capacity;
    jmp_buf full;
};

static void take_piece(const char *piece, size_t size, void *context)
{
    struct sink *sink = context;
    if (size >= sink->capacity - sink->size)
        longjmp(sink->full, 1);
    mark_written(piece, size);
    memcpy(sink->text + sink->size, piece, size);
    sink->size += size;
    sink->text[sink->size] = 0;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* In a mangled name, the letters C, D and U begin constructors, destructors, types and unnamed
 * entities. Returns true if the text begins with one of these letters, but the second letter fits
 * none of these parts. */
static bool begins_no_part(const char *text)
{
    switch (*text) {
    case 'C':
        return !is_one_of(text[1], "12345I");
    case 'D':
        return !is_one_of(text[1], "01245tT");
    case 'U':
        return !is_one_of(text[1], "tl");
    default:
        return false;
    }
}

static bool begins_expression(const char *text)
{
    return *text == 'X' || (*text == 'D' && is_one_of(text[1], "tT")) ||
           (*text == 'A' && !is_one_of(text[1], "0123456789_"));
}

/* Returns true if the demangler of GCC 12.2 may read the name forever. Its loop over the parts of
 * an unresolved name ("sr", in an expression) does not end at a part that it cannot read. An
 * example is "_Z1fIXsr1AplDD", which fuzzing found.
 *
 * An identifier may contain the same letters, so the function also returns true for some valid
 * names: 92 of 137,402 in the libraries of a Debian system. The demangler ended for all of 1.2
 * million random names for which the function returns false. */
static bool may_be_read_forever(const char *mangled)
{
    const char *text = mangled;
    while (*text && !begins_expression(text))
        text++;
    text = strstr(text, "sr");
    while (text && *text && !begins_no_part(text))
        text++;
    return text && *text;
}

/* Returns how often the text has a reference, directly followed by the text `after`. With the
 * letter S, these are references to earlier parts of the name ("S_", "S0_", ...); with T,
 * references to template parameters. */
static unsigned count_references(const char *text, char letter, const char *after)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    unsigned count = 0;
    for (; (text = strchr(text, letter)); text++) {
        const char *end = text + 1 + strspn(text + 1, DIGITS);
        count += *end == '_' && !strncmp(end + 1, after, strlen(after));
    }
    return count;
}

/* Returns true if what a pack expansion repeats, at `text`, is not simply a template parameter,
 * possibly with qualifiers, or a parameter of the function. */
static bool repeats_large_part(const char *text)
{
    text += strspn(text, "ROKPV");
    return *text != 'T' && strncmp(text, "fp", 2) != 0;
}

static bool has_large_expansion(const char *text, const char *code)
{
    while ((text = strstr(text, code)))
        if (repeats_large_part(text += 2))
            return true;
    return false;
}

/* Returns true if the demangler of GCC 12.2 may need time that doubles with each part of the name:
 *   - It reads the arguments of a template parameter in the name of a conversion operator twice,
 *     and those inside them twice each time. An example is "_ZcvT_IT_IT_IiEEEv".
 *   - For a pack expansion ("Dp", "sp" or "sZ") it searches a part of the name for a parameter
 *     pack, and follows each reference to an earlier part again. With "_Z1fDp1AIS_IiiES0_E", nested
 *     to a depth of 40, it searched for hours.
 *
 * Identifiers may contain the same letters, so the function also returns true for some valid names:
 * 25 of 75,498 in the libraries of clang and LLVM. */
static bool may_take_exponential_time(const char *mangled)
{
    enum { MOST_NESTED = 4, MOST_REFERENCES = 7 };
    const char *conversion = strstr(mangled, "cv"), *expression = mangled;
    if (conversion && count_references(conversion, 'T', "I") > MOST_NESTED)
        return true;
    if (count_references(mangled, 'S', "") <= MOST_REFERENCES)
        return false;
    while (*expression && !begins_expression(expression))
        expression++;
    return has_large_expansion(mangled, "Dp") || has_large_expansion(expression, "sp") ||
           has_large_expansion(expression, "sZ");
}

bool demangle_into(const char *mangled, char *readable, size_t capacity)
{
    if (strncmp(mangled, "_Z", 2) != 0 || strlen(mangled) > LONGEST_MANGLED || !capacity ||
        may_be_read_forever(mangled) || may_take_exponential_time(mangled))
        return false;
    struct sink sink = {.text = readable, .capacity = capacity};
    *readable = 0;
    return !setjmp(sink.full) && !__gcclibcxx_demangle_callback(mangled, take_piece, &sink);
}

/* Returns the mangled part of the name: all of it, or what follows a prefix like ".nv.info.". */
static const char *mangled_part(const char *name)
{
    if (!strncmp(name, "_Z", 2))
        return name;
    const char *part = *name == '.' ? strstr(name, "._Z") : NULL;
    return part ? part + 1 : NULL;
}

bool demangle_part_into(const char *name, char *readable, size_t capacity)
{
    const char *part = mangled_part(name);
    size_t before = part ? (size_t)(part - name) : 0;
    if (!part || before >= capacity || !demangle_into(part, readable + before, capacity - before))
        return false;
    memcpy(readable, name, before);
    return true;
}

const char *demangle_name(struct arena *arena, const char *name)
{
    char readable[LONGEST_READABLE];
    const char *part = mangled_part(name);
    if (!part || !demangle_into(part, readable, sizeof readable))
        return name;
    return arena_format(arena, "%.*s%s", (int)(part - name), name, readable);
}
