/* Finds NVIDIA's library; see nvidia_search.h. */
#include "nvjitlink/nvidia_search.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/own_library.h"
#include "nvjitlink/python_packages.h"
#include "nvjitlink/release.h"
#include "warpld.h"

/* Marks this library as warpld's. Without the mark, another copy of this library would mistake it
 * for NVIDIA's; see own_library.h. */
__attribute__((used, section(OWN_LIBRARY_SECTION))) static const char OWN_MARK[] =
    "libwarpld " WARPLD_VERSION;

/* Marks rows in places.def that use the folder of the program's Python packages instead of an
 * environment variable. */
static const char PYTHON_PACKAGES[] = "the packages of Python";

/* Writes the pattern of one row, followed by the library's name. Returns false if the row's
 * variable is not set. */
static bool format_pattern(char *pattern, size_t size, const char *variable, const char *place)
{
    char packages[2048];
    const char *folder = variable ? getenv(variable) : "";
    if (variable == PYTHON_PACKAGES)
        folder = find_python_packages(packages, sizeof packages) ? packages : NULL;
    const char *number = strstr(place, "%u");
    if (!folder || (variable && !*folder))
        return false;
    if (number)
        snprintf(pattern, size, "%s%.*s%u%s/%s", folder, (int)(number - place), place,
                 jit_release.major, number + 2, jit_release.soname);
    else
        snprintf(pattern, size, "%s%s/%s", folder, place, jit_release.soname);
    return true;
}

/* Returns the last match of the pattern that is NVIDIA's library and not warpld's, or NULL. */
static char *search_pattern(const char *pattern)
{
    glob_t matches;
    char *found = NULL;
    if (glob(pattern, 0, NULL, &matches))
        return NULL;
    for (size_t i = matches.gl_pathc; i-- && !found;) {
        const char *path = matches.gl_pathv[i];
        if (library_kind(path) == OTHER_LIBRARY)
            found = realpath(path, NULL);
    }
    globfree(&matches);
    return found;
}

/* Searches with one pattern. */
static char *try_pattern(const char *pattern, struct jit_log *tried)
{
    if (tried && *pattern && (!tried->size || !strstr(tried->text, pattern)))
        jit_log_print(tried, "%s %s", tried->size ? "," : "", pattern);
    return search_pattern(pattern);
}

char *nvidia_search(struct jit_log *tried)
{
    static const struct place {
        const char *variable;
        const char *pattern;
    } PLACES[] = {
#define PLACE(variable, pattern) {variable, pattern},
#include "nvjitlink/places.def"
#undef PLACE
    };
    const char *chosen = getenv("WARPLD_NVJITLINK");
    if (chosen)
        return try_pattern(chosen, tried);
    char pattern[4096];
    char *found = NULL;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !found; i++)
        if (format_pattern(pattern, sizeof pattern, PLACES[i].variable, PLACES[i].pattern))
            found = try_pattern(pattern, tried);
    return found;
}
