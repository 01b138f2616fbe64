/* Texts of messages; see shown_text.h. */
#include "cli/shown_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/demangle.h"
#include "base/terminal_text.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"

/* Replaces the first occurrence of `from` in single quotes. The text has escapes for control
 * characters in both names. Returns the text itself if there is no such occurrence. */
static const char *replace_quoted(struct arena *arena, const char *text, const char *from,
                                  const char *to)
{
    const char *quoted = arena_format(arena, "'%s'", terminal_text_show(arena, from));
    const char *at = strstr(text, quoted);
    return at ? arena_format(arena, "%.*s'%s'%s", (int)(at - text), text,
                             terminal_text_show(arena, to), at + strlen(quoted))
              : text;
}

/* Returns the text with names as nvlink prints them. nvlink demangles names only in the message
 * "entry-mismatch", in the same way as in call graphs. It does so even with an option for mangled
 * names in call graphs (observed with 10 names in either order of the objects, and with -r). */
static const char *text_as_nvlink(struct readable_names *names,
                                  const struct warpld_diagnostic *diagnostic)
{
    const char *name = diagnostic->symbol;
    if (!name || strcmp(diagnostic->code, "entry-mismatch") != 0)
        return diagnostic->text;
    return replace_quoted(names->arena, diagnostic->text, name, readable_name(names, name, true));
}

/* Whether a note keeps its readable names even if the user wants mangled names. A note
 * "stack-cycle" also contains names of other functions, for which the mangled names are unknown. A
 * note "readable-name" gives a name in both forms. */
static bool keeps_names(const char *code)
{
    return !strcmp(code, "readable-name") || !strncmp(code, "stack-cycle", strlen("stack-cycle"));
}

/* Returns the text of a note with the mangled name of its symbol. The library writes the readable
 * name into a note, so the library's demangler shows which text must be replaced. */
static const char *mangled_text(struct arena *arena, const struct warpld_diagnostic *diagnostic)
{
    const char *name = diagnostic->symbol;
    if (!name || diagnostic->severity != WARPLD_NOTE || keeps_names(diagnostic->code))
        return diagnostic->text;
    const char *readable = demangle_name(arena, name);
    return readable == name ? diagnostic->text
                            : replace_quoted(arena, diagnostic->text, readable, name);
}

/* Whether the section is ".text.NAME", the section of the function `name`. */
static bool is_own_section(const char *section, const char *name)
{
    static const char TEXT[] = ".text.";
    enum { SIZE = sizeof TEXT - 1 };
    return section && name && !strncmp(section, TEXT, SIZE) && !strcmp(section + SIZE, name);
}

static const char *without_own_section(struct arena *arena,
                                       const struct warpld_diagnostic *diagnostic)
{
    const char *text = diagnostic->text, *section = diagnostic->section;
    if (strcmp(diagnostic->code, "referred-by") != 0 ||
        !is_own_section(section, diagnostic->symbol))
        return text;
    const char *ending = arena_format(arena, " (section %s)", terminal_text_show(arena, section));
    size_t size = strlen(text), ending_size = strlen(ending);
    bool has_ending = size > ending_size && !strcmp(text + size - ending_size, ending);
    return has_ending ? arena_copy_string(arena, text, size - ending_size) : text;
}

const char *shown_text(struct readable_names *names, enum name_form form,
                       const struct warpld_diagnostic *diagnostic)
{
    struct warpld_diagnostic shown = *diagnostic;
    if (form == NAMES_AS_NVLINK)
        return text_as_nvlink(names, diagnostic);
    shown.text = without_own_section(names->arena, diagnostic);
    return form == NAMES_READABLE ? readable_text(names, shown.text)
                                  : mangled_text(names->arena, &shown);
}
