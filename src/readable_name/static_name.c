/* Removes the namespaces of static names; see static_name.h. */
#include "readable_name/static_name.h"

#include <stddef.h>
#include <string.h>

static const char START[] = "_INTERNAL_";

static const char OF_NAMES[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";

bool static_names_occur(const char *text)
{
    return strstr(text, START) != NULL;
}

/* Returns the size of the namespace that begins at `text`, with its colons, or 0 if none begins
 * there. START is followed by eight hexadecimal digits, "_", and a text made from the name of the
 * file. That text is not checked. */
static size_t namespace_size(const char *text)
{
    enum { DIGITS = 8 };
    if (strncmp(text, START, strlen(START)) != 0)
        return 0;
    const char *id = text + strlen(START), *after = id + strspn(id, "0123456789abcdef");
    size_t size = strspn(text, OF_NAMES);
    bool is_one = after - id == DIGITS && *after == '_' && !strncmp(text + size, "::", 2);
    return is_one ? size + 2 : 0;
}

/* Looks for a namespace only at the start of each name, so that the time is linear. */
void static_names_shorten(char *text)
{
    char *out = text;
    bool in_name = false;
    while (*text) {
        size_t size = in_name ? 0 : namespace_size(text);
        if (size) {
            text += size;
            continue;
        }
        in_name = strchr(OF_NAMES, *text) != NULL;
        *out++ = *text++;
    }
    *out = 0;
}
