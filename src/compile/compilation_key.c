/* Makes the key of a compiled text; see compilation_key.h. */
#include "compile/compilation_key.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "compile/file_identity.h"
#include "warpld.h"

/* A version number of warpld's compilation of texts. It must be changed when the compilation
 * changes, because the rest of the key contains only the compiler, its options and the text. */
static const char FORMAT[] = "warpld PTX 1";

const char *compiler_identity(struct arena *arena, struct ptx_cache *cache,
                              const struct compiler_choice *choice)
{
    const char *program = file_identity(arena, cache, choice->program);
    const char *library = file_identity(arena, cache, choice->library);
    return program && library ? arena_format(arena, "%s\n%s", program, library) : NULL;
}

/* Returns true if the argument names an options file. ptxas reads no other files except the
 * text. */
static bool names_file(const char *argument)
{
    static const char *const OPTIONS[] = {"-optf", "--options-file", "@"};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (!strncmp(argument, OPTIONS[i], strlen(OPTIONS[i])))
            return true;
    return false;
}

struct key_strings {
    GROWING_ARRAY(const char *, texts);
};

/* The key consists of each string with its NUL, followed by the text. */
bool compilation_key(struct cache_key *key, struct arena *arena, const char *identity,
                     const struct compilation *compilation)
{
    const struct warpld_compile_request *request = compilation->request;
    struct key_strings strings = {.texts = NULL};
    size_t size = request->ptx_size;
    *ARENA_APPEND(arena, &strings, texts) = FORMAT;
    *ARENA_APPEND(arena, &strings, texts) = identity;
    for (const char *const *argument = compilation->arguments; *argument; argument++) {
        if (names_file(*argument))
            return false;
        *ARENA_APPEND(arena, &strings, texts) = *argument;
    }
    *ARENA_APPEND(arena, &strings, texts) = ""; /* ends the arguments, none of which is empty */
    for (size_t i = 0; i < strings.texts_count; i++)
        size += strlen(strings.texts[i]) + 1;
    uint8_t *bytes = ARENA_ARRAY(arena, uint8_t, size), *end = bytes;
    for (size_t i = 0; i < strings.texts_count; i++) {
        size_t part = strlen(strings.texts[i]) + 1;
        memcpy(end, strings.texts[i], part);
        end += part;
    }
    if (request->ptx_size)
        memcpy(end, request->ptx, request->ptx_size);
    cache_key_set(key, (struct bytes){bytes, size});
    return true;
}
