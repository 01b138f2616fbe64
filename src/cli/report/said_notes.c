/* Remembers notes; see said_notes.h. */
#include "cli/report/said_notes.h"

#include <stddef.h>
#include <string.h>

#include "base/name_table.h"

void said_notes_start(struct said_notes *said, const char *code)
{
    said->applies = !strcmp(code, "undefined-reference") || !strcmp(code, "multiple-definition");
    said->was_said = false;
}

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* Adds the text. Returns true if it had been added before. */
static bool add(struct said_notes *said, struct arena *arena, const char *text)
{
    if (!said->texts) {
        said->texts = ARENA_NEW(arena, struct name_table);
        name_table_init(said->texts, arena, sizeof(struct name));
    }
    if (name_table_find(said->texts, text))
        return true;
    name_table_intern(said->texts, arena_copy_string(arena, text, strlen(text)));
    return false;
}

bool said_notes_repeats(struct said_notes *said, struct arena *arena, const char *code,
                        const char *text)
{
    if (said->applies && !starts_with(text, "..."))
        said->was_said = !starts_with(code, "referred-") && add(said, arena, text);
    return said->applies && said->was_said;
}
