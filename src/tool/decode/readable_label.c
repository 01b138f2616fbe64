/* Reads the names of shared variables; see readable_label.h. */
#include "tool/decode/readable_label.h"

#include <string.h>

#include "base/arena.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"

/* Returns the mangled name inside the name of a shared variable: "_ZZ1fvE4tile" for
 * "$___ZZ1fvE4tile__24". Returns NULL if the name has another form. */
static const char *shared_variable_name(struct arena *arena, const char *name)
{
    static const char START[] = "$___Z";
    enum { PREFIX = sizeof "$__" - 1 };
    if (strncmp(name, START, strlen(START)) != 0)
        return NULL;
    size_t size = strlen(name), end = size;
    while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    bool has_number = end < size && end > PREFIX + 2 && !strncmp(name + end - 2, "__", 2);
    return arena_copy_string(arena, name + PREFIX, (has_number ? end - 2 : size) - PREFIX);
}

const char *readable_label(struct readable_names *names, const char *name)
{
    const char *mangled = shared_variable_name(names->arena, name);
    const char *readable = mangled ? readable_text(names, mangled) : NULL;
    return readable && strcmp(readable, mangled) ? readable : readable_text(names, name);
}
