/* Options of the caller that exclude each other; see option_conflicts.h.
 * The command refuses the same pairs with nvlink's messages, before it creates a link. */
#include "link/option_conflicts.h"

#include <stddef.h>

struct option {
    const char *field;   /* of struct warpld_options */
    const char *command; /* the command's option, without dashes */
    size_t offset;       /* of the field, a bool */
};

static const struct option RELOCATABLE = {"relocatable", "relocatable-link",
                                          offsetof(struct warpld_options, relocatable)};

/* Each excludes RELOCATABLE: only the final link knows all constants and all references to them. */
static const struct option FINAL_LINK_ONLY[] = {
    {"merge_constants", "merge-constants", offsetof(struct warpld_options, merge_constants)},
    {"remove_unused_constants", "remove-unused-constants",
     offsetof(struct warpld_options, remove_unused_constants)},
};

static bool is_set(const struct warpld_options *options, const struct option *option)
{
    return *(const bool *)((const char *)options + option->offset);
}

bool report_option_conflicts(const struct warpld_options *options, struct diagnostics *diagnostics)
{
    bool found = false;
    for (size_t i = 0; i < sizeof FINAL_LINK_ONLY / sizeof *FINAL_LINK_ONLY; i++) {
        const struct option *option = &FINAL_LINK_ONLY[i];
        if (!is_set(options, &RELOCATABLE) || !is_set(options, option))
            continue;
        diagnostic_report(diagnostics, DIAGNOSTIC_OPTIONS_CONFLICT, NULL, NULL, option->field,
                          option->command, RELOCATABLE.field, RELOCATABLE.command);
        found = true;
    }
    return found;
}
