/* Makes both readable forms of a symbol's name that consists of any bytes, and reads the same bytes
 * as options of ptxas.
 *
 * Names and options are parts of inputs, so they can be anything. A readable form can be far longer
 * than the name, but its length is limited. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/demangle.h"
#include "compile/ptxas_options.h"
#include "readable_name/readable_name.h"

enum { LONGEST_READABLE = 1 << 18 };

static void end(void *owner)
{
    (void)owner;
    abort();
}

static void ignore(void *context, const char *word)
{
    if (context || !*word)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    arena_init(&arena, end, NULL);
    const char *name = arena_copy_string(&arena, (const char *)data, size);
    char readable[64];
    struct readable_names names = {.arena = &arena};
    readable_name(&names, name, true);
    if (strlen(readable_name(&names, name, false)) > LONGEST_READABLE + strlen(name) ||
        (demangle_into(name, readable, sizeof readable) && strlen(readable) >= sizeof readable))
        abort();
    demangle_name(&arena, name);
    struct argument_list list = {.arguments = NULL};
    ptxas_options_add(&list, &arena, name, ignore, NULL);
    for (size_t i = 0; i < list.arguments_count; i++)
        if (strstr(name, list.arguments[i]) == NULL)
            abort();
    arena_destroy(&arena);
    return 0;
}
