/* Suggests options; see suggestion.h. */
#include "cli/options/suggestion.h"

#include <stdbool.h>
#include <string.h>

#include "cli/options/options.h"

enum { LONGEST_NAME = 48 };

enum owner { LD, NVCC, HOST_COMPILER };

static const char *const PROGRAMS[] = {
    [LD] = "ld, the host linker",
    [NVCC] = "nvcc, the compiler",
    [HOST_COMPILER] = "gcc and clang, the host compilers",
};

static const struct foreign_option {
    char name[28];
    unsigned char owner;
} FOREIGN[] = {
#define FOREIGN_OPTION(name, owner) {name, owner},
#include "cli/options/foreign_options.def"
#undef FOREIGN_OPTION
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the Levenshtein distance of two names: how many characters must be inserted, removed or
 * replaced to change one into the other. Stores only one row of the usual table. Names have at most
 * LONGEST_NAME characters. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1], size = strlen(b);
    for (size_t j = 0; j <= size; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= size; j++) {
            size_t above = row[j];
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replaced, smaller(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    return row[size];
}

struct nearest {
    const char *dashes;
    const char *name;
    size_t distance;
};

static void try_name(struct nearest *nearest, const char *given, const char *dashes,
                     const char *name)
{
    size_t far = *name ? distance(given, name) : LONGEST_NAME;
    if (far < nearest->distance)
        *nearest = (struct nearest){dashes, name, far};
}

/* Returns the name of an option that differs from `given` in the fewest characters. If there are
 * several, returns the first of them in the table. */
static struct nearest find_nearest(const char *given)
{
    struct nearest nearest = {.distance = LONGEST_NAME};
    for (int id = 0; id < OPTION_COUNT; id++) {
        try_name(&nearest, given, "-", option_short_name((enum option_id)id));
        try_name(&nearest, given, "--", option_long_name((enum option_id)id));
    }
    return nearest;
}

/* Whether the nearest name is similar enough: up to a third of the characters, but no more than
 * three, may differ. A name of one or two characters would resemble too many others, so it must
 * match exactly. */
static bool is_near(const struct nearest *nearest, const char *given)
{
    size_t size = strlen(given);
    return !nearest->distance || (size > 2 && nearest->distance <= smaller((size + 2) / 3, 3));
}

static const struct foreign_option *find_foreign(const char *given)
{
    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++)
        if (!strcmp(FOREIGN[i].name, given))
            return &FOREIGN[i];
    return NULL;
}

const char *option_suggestion(struct arena *arena, const char *argument)
{
    const char *given = argument + strspn(argument, "-");
    given = arena_copy_string(arena, given, strcspn(given, ",")); /* only "Wl" of -Wl,OPTION */
    if (!*given || strlen(given) > LONGEST_NAME)
        return NULL;
    struct nearest nearest = find_nearest(given);
    const struct foreign_option *foreign = nearest.distance ? find_foreign(given) : NULL;
    if (foreign)
        return arena_format(arena, "'%s' is an option of %s", argument, PROGRAMS[foreign->owner]);
    return is_near(&nearest, given)
               ? arena_format(arena, "did you mean '%s%s'?", nearest.dashes, nearest.name)
               : NULL;
}
