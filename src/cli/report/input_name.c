/* Splits names of inputs; see input_name.h. */
#include "cli/report/input_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the position after the last colon at which the name of the file may end. Each colon costs
 * a system call, and the name of a member can have thousands. */
static const char *end_of_search(const char *name)
{
    enum { MOST_COLONS = 64 };
    const char *end = name;
    for (int i = 0; i < MOST_COLONS && (name = strchr(name, ':')); i++)
        end = ++name;
    return end;
}

struct input_name input_name_split(struct arena *arena, const char *name)
{
    if (access(name, F_OK) == 0)
        return (struct input_name){name, NULL};
    for (const char *end = end_of_search(name); end > name; end--) {
        if (*end != ':')
            continue;
        const char *file = arena_copy_string(arena, name, (size_t)(end - name));
        if (access(file, F_OK) == 0)
            return (struct input_name){file, end + 1};
    }
    return (struct input_name){name, NULL};
}

/* Whether a URI may contain the character: the unreserved characters of RFC 3986, and the slash. */
static int is_plain(char c)
{
    return c && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/", c);
}

const char *input_name_uri(struct arena *arena, const char *file)
{
    static const char SCHEME[] = "file://";
    enum { ENCODED = 3 };
    char *uri = arena_alloc(arena, strlen(SCHEME) + ENCODED * strlen(file) + 1), *next = uri;
    if (*file == '/') {
        memcpy(uri, SCHEME, sizeof SCHEME - 1);
        next += sizeof SCHEME - 1;
    }
    for (; *file; file++)
        if (is_plain(*file))
            *next++ = *file;
        else
            next += snprintf(next, ENCODED + 1, "%%%02X", (unsigned)(unsigned char)*file);
    return uri;
}
