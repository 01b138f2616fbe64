/* Demangling; see demangle.h. */
#include "tool/demangle.h"

#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI library; its header is C++ only. Returns memory from malloc, or NULL when the name
 * is not a mangled one. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Start of the mangled part: the whole name, or what follows a prefix like ".nv.info.". */
static const char *mangled_part(const char *name)
{
    if (!strncmp(name, "_Z", 2))
        return name;
    const char *part = *name == '.' ? strstr(name, "._Z") : NULL;
    return part ? part + 1 : NULL;
}

const char *demangle_name(struct arena *arena, const char *name)
{
    const char *part = mangled_part(name);
    if (!part)
        return name;
    int status = 0;
    char *readable = __cxa_demangle(part, NULL, NULL, &status);
    if (!readable)
        return name;
    const char *result = arena_format(arena, "%.*s%s", (int)(part - name), name, readable);
    free(readable);
    return result;
}
