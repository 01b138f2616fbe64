/* Runs cubintool diff without --bytes or --strict; see diff.h. */
#include <stdio.h>

#include "base/arena.h"
#include "tool/changes/changes.h"
#include "tool/changes/changes_text.h"
#include "tool/command/command.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/diff/diff.h"
#include "tool/print/print.h"
#include "tool/program/program.h"

/* Prints the rows that exceed a limit of --fail-if. Returns whether there are any. */
static bool report_growth(const struct changes *changes, const struct growth_limits *limits)
{
    bool has_grown = false;
    for (uint32_t i = 0; i < changes->all_count; i++) {
        const struct change *change = &changes->all[i];
        for (uint32_t k = 0; k < change->rows_count; k++) {
            const struct change_row *row = &change->rows[k];
            if (!growth_is_exceeded(limits, row))
                continue;
            has_grown = true;
            tool_error("%s %s: %s, which --fail-if does not allow", change->thing, change->name,
                       change_row_text(row, change->kind, changes->arena));
        }
    }
    return has_grown;
}

static void print_meaning(const struct diff *diff, const struct changes *changes,
                          const struct tool_options *options)
{
    if (options->json) {
        json_t *object = json_made(json_object());
        json_object_set_new(object, "a", json_text(diff->sides[SIDE_A].path));
        json_object_set_new(object, "b", json_text(diff->sides[SIDE_B].path));
        json_object_set_new(object, "equal", json_boolean(!diff->count));
        json_object_set_new(object, "differences_of_bytes",
                            json_made(json_integer((json_int_t)diff->count)));
        json_changes(changes, object);
        print_json(object);
        return;
    }
    if (options->csv) {
        print_changes_csv(changes);
        return;
    }
    print_changes(changes, options->limit);
    if (diff->count && !changes->all_count)
        printf("functions and variables are the same; %zu difference%s elsewhere, which --bytes "
               "prints\n",
               diff->count, diff->count == 1 ? "" : "s");
}

int diff_by_meaning(struct diff *diff, const struct tool_options *options)
{
    struct changes changes;
    struct program programs[SIDE_COUNT];
    struct growth_limits limits = {.all = NULL};
    struct arena *arena = &diff->arena;
    if (options->fail_if && !growth_limits_parse(&limits, options->fail_if, arena)) {
        tool_error("bad value of --fail-if: %s; expected RESOURCE+N, such as registers+8",
                   options->fail_if);
        return TOOL_EXIT_UNUSABLE;
    }
    for (int i = 0; i < SIDE_COUNT; i++) {
        if (!subject_label(&diff->sides[i], tool_shows_readable_names(options), LABELS_OF_ENTRIES))
            return TOOL_EXIT_UNUSABLE;
        program_read(&programs[i], &diff->sides[i], arena);
    }
    changes_find(&changes, &programs[SIDE_A], &programs[SIDE_B], arena);
    diff_run(diff);
    /* If the contents do not differ, the changes are only in the suffixes of labels that make equal
     * names unique, such as "f[7]". */
    if (!diff->count)
        changes.all_count = 0;
    print_meaning(diff, &changes, options);
    if (options->fail_if)
        return report_growth(&changes, &limits) ? TOOL_EXIT_FOUND : TOOL_EXIT_OK;
    return diff->count ? TOOL_EXIT_FOUND : TOOL_EXIT_OK;
}
