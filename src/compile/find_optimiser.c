/* Finds the libraries of link-time optimisation; see find_optimiser.h. */
#include "compile/find_optimiser.h"

#include <glob.h>
#include <stddef.h>
#include <string.h>

#include "compile/own_library.h"
#include "compile/process.h"

enum root { NVVM_FOLDER, TOOLKIT, OWN_FOLDER, LIBRARY_PATH, ENVIRONMENT, NONE };

static const struct place {
    enum optimiser_library library;
    enum root root;
    const char *pattern;
} PLACES[] = {
#define OPTIMISER_PLACE(library, root, pattern) {OPTIMISER_##library, root, pattern},
#include "compile/optimiser_places.def"
#undef OPTIMISER_PLACE
};

struct patterns {
    GROWING_ARRAY(const char *, texts);
};

/* Appends a path pattern for each folder of a list that is separated by colons: the folder and then
 * `pattern`. */
static void add(struct arena *arena, struct patterns *patterns, const char *folders,
                const char *pattern)
{
    while (folders && *folders) {
        size_t size = strcspn(folders, ":");
        if (size)
            *ARENA_APPEND(arena, patterns, texts) =
                arena_format(arena, "%.*s%s", (int)size, folders, pattern);
        folders += size + (folders[size] == ':');
    }
}

static void add_place(struct arena *arena, struct patterns *patterns,
                      const struct optimiser_settings *settings, const struct place *place)
{
    enum { BOTH = 2 };
    switch (place->root) {
    case NVVM_FOLDER:
        add(arena, patterns, settings->nvvm_folder, place->pattern);
        break;
    case OWN_FOLDER:
        add(arena, patterns, settings->own_folder, place->pattern);
        break;
    case LIBRARY_PATH:
        add(arena, patterns, settings->library_path, place->pattern);
        break;
    case NONE:
        *ARENA_APPEND(arena, patterns, texts) = place->pattern;
        break;
    default:
        for (int i = 0; i < BOTH; i++)
            add(arena, patterns,
                place->root == TOOLKIT ? settings->toolkits[i] : settings->environments[i],
                place->pattern);
    }
}

static struct patterns patterns_of(struct arena *arena, const struct optimiser_settings *settings,
                                   enum optimiser_library library)
{
    struct patterns patterns = {.texts = NULL};
    if (library == OPTIMISER_NVJITLINK && settings->nvjitlink) {
        *ARENA_APPEND(arena, &patterns, texts) = settings->nvjitlink;
        return patterns;
    }
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
        if (PLACES[i].library == library)
            add_place(arena, &patterns, settings, &PLACES[i]);
    return patterns;
}

/* Returns the absolute path of the last match of the pattern that is a library of NVIDIA, or
 * NULL. */
static const char *search(struct arena *arena, const char *pattern)
{
    glob_t matches;
    const char *found = NULL;
    if (glob(pattern, 0, NULL, &matches))
        return NULL;
    for (size_t i = matches.gl_pathc; i-- && !found;)
        if (library_kind(matches.gl_pathv[i]) == OTHER_LIBRARY)
            found = process_file_name(
                arena, arena_copy_string(arena, matches.gl_pathv[i], strlen(matches.gl_pathv[i])));
    globfree(&matches);
    return found;
}

const char *find_optimiser(struct arena *arena, const struct optimiser_settings *settings,
                           enum optimiser_library library)
{
    struct patterns patterns = patterns_of(arena, settings, library);
    const char *found = NULL;
    for (size_t i = 0; i < patterns.texts_count && !found; i++)
        found = search(arena, patterns.texts[i]);
    return found;
}

const char *optimiser_places(struct arena *arena, const struct optimiser_settings *settings,
                             enum optimiser_library library)
{
    struct patterns patterns = patterns_of(arena, settings, library);
    return arena_join_all(arena, patterns.texts, patterns.texts_count, ", ");
}
