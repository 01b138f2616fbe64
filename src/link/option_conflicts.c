/* Options of the caller that exclude each other; see option_conflicts.h.
 * The command refuses the same pairs with nvlink's messages, before it creates a link. */
#include "link/option_conflicts.h"

#include <stddef.h>

struct option {
    const char *field;   /* name in struct warpld_options */
    const char *command; /* the command's option, without dashes */
    size_t offset;       /* offset of the field, which is a bool */
};

#define OPTION(field, command)                                                                     \
    {                                                                                              \
#field, command, offsetof(struct warpld_options, field)                                    \
    }

/* Three pairs exclude relocatable links, because only the final link knows all constants, all
 * references to constants, and the whole program. */
static const struct option PAIRS[][2] = {
    {OPTION(merge_constants, "merge-constants"), OPTION(relocatable, "relocatable-link")},
    {OPTION(remove_unused_constants, "remove-unused-constants"),
     OPTION(relocatable, "relocatable-link")},
    {OPTION(optimise_whole_program, "force-whole-lto"),
     OPTION(optimise_partially, "force-partial-lto")},
    {OPTION(optimise_whole_program, "force-whole-lto"), OPTION(relocatable, "relocatable-link")},
};

static bool is_set(const struct warpld_options *options, const struct option *option)
{
    return *(const bool *)((const char *)options + option->offset);
}

bool report_option_conflicts(const struct warpld_options *options, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        const struct option *first = &PAIRS[i][0], *second = &PAIRS[i][1];
        if (!is_set(options, first) || !is_set(options, second))
            continue;
        diagnostic_report(diagnostics, DIAGNOSTIC_OPTIONS_CONFLICT, NULL, NULL, first->field,
                          first->command, second->field, second->command);
        found = true;
    }
    return found;
}
