/* What keeps a symbol; see why_text.h. */
#include "report/why_text.h"

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "report/name_filter.h"
#include "report/removed_text.h"
#include "report/report.h"
#include "report/text_output.h"
#include "warpld.h"

static const struct why_text {
    const char *before; /* text that precedes the symbol in the line of a step (warpld_get_step) */
    const char *after;
} TEXTS[] = {
    [WARPLD_WHY_KERNEL] = {"kernel ", ": all kernels are kept"},
    [WARPLD_WHY_HOST_REFERENCE] = {"kernel ", ": host code refers to it"},
    [WARPLD_WHY_KERNELS_USED] = {"kernel ", ": -kernels-used names it"},
    [WARPLD_WHY_ADDRESS_TAKEN] = {"", ": its address is taken"},
    [WARPLD_WHY_OPTION] = {"", ": -g, -r or --preserve-relocs keeps all functions"},
    [WARPLD_WHY_VARIABLE] = {"", ": variables are kept, and no kept code uses it"},
    [WARPLD_WHY_DRIVER] = {"", ": the driver or other programs use it"},
    [WARPLD_WHY_UNDEFINED] = {"", ": it is undefined, and kept code refers to it"},
    [WARPLD_WHY_CALLED] = {"-> calls ", ""},
    [WARPLD_WHY_CALLED_INDIRECTLY] = {"-> calls through a pointer ", ""},
    [WARPLD_WHY_ALIAS] = {"-> is an alias of ", ""},
    [WARPLD_WHY_USED] = {"-> uses ", ""},
};

static void put_quoted(const struct report *report, struct text_output *output, const char *name)
{
    text_put_char(output, '\'');
    text_put_name(output, report_name(report, name));
    text_put_char(output, '\'');
}

static void put_step(const struct report *report, struct text_output *output,
                     const struct warpld_step *step)
{
    text_put(output, "  ");
    text_put(output, TEXTS[step->why].before);
    put_quoted(report, output, step->name);
    text_put(output, " of ");
    text_put_name(output, step->input);
    text_put(output, TEXTS[step->why].after);
    if (step->by) {
        text_put(output, " by ");
        put_quoted(report, output, step->by);
    }
    text_put_char(output, '\n');
}

/* Writes the chain of references that keeps a symbol. Returns whether there is one. */
static bool put_steps(const struct report *report, struct text_output *output, const char *name)
{
    struct warpld_step step = {.size = sizeof step};
    size_t i = 0;
    for (; warpld_get_step(report->link, name, i, &step) == WARPLD_OK; i++) {
        if (!i) {
            put_quoted(report, output, name);
            text_put(output, " is kept:\n");
        }
        put_step(report, output, &step);
    }
    return i;
}

/* A symbol name that matches what the user typed. There can be thousands: all functions of one
 * qualified name. */
struct meant_name {
    struct name name;
    GROWING_ARRAY(size_t, removed); /* for warpld_get_removed: its removed definitions */
};

static void find_removed(const struct report *report, const struct name_table *names)
{
    struct warpld_removed removed = {.size = sizeof removed};
    for (size_t i = 0; warpld_get_removed(report->link, i, &removed) == WARPLD_OK; i++) {
        struct meant_name *meant = removed.name ? name_table_find(names, removed.name) : NULL;
        if (meant)
            *ARENA_APPEND(report->arena, meant, removed) = i;
    }
}

/* Writes a line for each removed definition of the name. */
static void put_removed_of(const struct report *report, struct text_output *output,
                           const struct meant_name *meant)
{
    struct warpld_removed removed = {.size = sizeof removed};
    for (size_t i = 0; i < meant->removed_count; i++) {
        warpld_get_removed(report->link, meant->removed[i], &removed);
        text_put(output, "removed ");
        removed_put(report, output, &removed);
        text_put_char(output, '\n');
    }
}

static void put_why(const struct report *report, struct text_output *output,
                    const struct meant_name *meant)
{
    bool is_kept = put_steps(report, output, meant->name.text);
    put_removed_of(report, output, meant);
    if (is_kept || meant->removed_count)
        return;
    put_quoted(report, output, meant->name.text);
    text_put(output, " is undefined\n");
}

bool why_write(const struct report *report, struct text_output *output, const char *word)
{
    struct warpld_mention mention = {.size = sizeof mention};
    struct name_table names;
    enum warpld_status status;
    name_table_init(&names, report->arena, sizeof(struct meant_name));
    for (size_t i = 0; (status = warpld_get_mention(report->link, i, &mention)) == WARPLD_OK; i++)
        if (name_is_meant(report, word, mention.name))
            name_table_intern(&names, mention.name);
    find_removed(report, &names);
    for (uint32_t i = 1; i <= names.count; i++)
        put_why(report, output, name_table_entry(&names, i));
    if (!names.count) {
        text_put_char(output, '\'');
        text_put_name(output, word);
        text_put(output, "': no input has a symbol of this name\n");
    }
    return status == WARPLD_END;
}
