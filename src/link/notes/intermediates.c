/* Names the inputs with LTO-IR in a note; see intermediates.h. */
#include "link/notes/intermediates.h"

#include <stddef.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Returns a text with the names of the first inputs with LTO-IR. */
static const char *name_intermediates(link_context *link)
{
    enum { MOST_INTERMEDIATES = 10 };
    const struct input_state *input = link->input;
    size_t count = input->intermediates_count;
    const char *text = "";
    for (size_t i = 0; i < count && i < MOST_INTERMEDIATES; i++)
        text = arena_format(&link->arena, "%s%s'%s'", text, i ? ", " : "",
                            input->intermediates[i].unit->name);
    return count > MOST_INTERMEDIATES
               ? arena_format(&link->arena, "%s and %zu more", text, count - MOST_INTERMEDIATES)
               : text;
}

void report_intermediates(link_context *link, const char *symbol)
{
    const char *name = link->input->optimised->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_ORIGIN, name, symbol, name,
                      name_intermediates(link));
}
