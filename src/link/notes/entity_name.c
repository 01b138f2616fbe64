/* The parts of a symbol's name; see entity_name.h. Mangled names follow the Itanium C++ ABI. In
 * names of nvcc 13.0.88, static functions are in a namespace _INTERNAL_..., and an unnamed
 * namespace is called _GLOBAL__N_... */
#include "link/notes/entity_name.h"

#include <string.h>

#include "link/notes/shown_name.h"

enum { LONGEST_PARSED = 4096 };

/* Reads an identifier with its length in front, such as "3foo", and sets *next to its end. */
static bool read_source_name(const char **next, const char *end, struct bytes *identifier)
{
    uint64_t size = 0;
    const char *digit = *next;
    for (; *digit >= '0' && *digit <= '9' && size < LONGEST_PARSED; digit++)
        size = size * 10 + (uint64_t)(*digit - '0');
    if (!size || size > (uint64_t)(end - digit))
        return false;
    *identifier = (struct bytes){(const uint8_t *)digit, size};
    *next = digit + size;
    return true;
}

static bool has_prefix_text(struct bytes text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && !memcmp(text.data, prefix, size);
}

static bool is_internal_namespace(struct bytes name)
{
    return has_prefix_text(name, "_INTERNAL_") || has_prefix_text(name, "_GLOBAL_");
}

/* Reads a nested name: its scopes, followed by its identifier. Returns false if the identifier is
 * not followed by the end of the nested name (E) or by template arguments (I). */
static bool read_nested(struct entity_name *entity, const char *next, const char *end)
{
    while (*next == 'K' || *next == 'V' || *next == 'r' || *next == 'L')
        next++;
    if (next[0] == 'S' && next[1] == 't')
        next += 2;
    const char *scope = next, *last = next;
    while (next < end && *next >= '0' && *next <= '9') {
        last = next;
        if (!read_source_name(&next, end, &entity->identifier))
            return false;
        bool is_scope = *next >= '0' && *next <= '9';
        if (is_scope && is_internal_namespace(entity->identifier)) {
            entity->is_internal = true;
            scope = next;
        }
    }
    entity->scope = (struct bytes){(const uint8_t *)scope, (uint64_t)(last - scope)};
    if (*next == 'E')
        next++;
    else if (*next != 'I')
        return false;
    entity->rest = (struct bytes){(const uint8_t *)next, (uint64_t)(end - next)};
    return entity->identifier.size > 0;
}

static bool read_mangled(struct entity_name *entity, const char *name, size_t size)
{
    const char *next = name + 2, *end = name + size;
    if (*next == 'N')
        return read_nested(entity, next + 1, end);
    entity->is_internal = *next == 'L';
    next += *next == 'L';
    if (!read_source_name(&next, end, &entity->identifier))
        return false;
    entity->rest = (struct bytes){(const uint8_t *)next, (uint64_t)(end - next)};
    return true;
}

bool entity_name_read(struct entity_name *entity, const char *name)
{
    *entity = (struct entity_name){.is_mangled = !strncmp(name, "_Z", 2)};
    size_t size = strnlen(name, LONGEST_PARSED);
    if (!size || size == LONGEST_PARSED || *name == '.' || *name == '$')
        return false;
    if (entity->is_mangled)
        return read_mangled(entity, name, size);
    const char *plain = static_variable_name(name);
    entity->is_internal = plain != name;
    entity->identifier = (struct bytes){(const uint8_t *)plain, size - (uint64_t)(plain - name)};
    return true;
}
