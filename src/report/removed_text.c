/* What is not in the output; see removed_text.h. */
#include "report/removed_text.h"

#include <stddef.h>

#include "report/report.h"
#include "report/text_output.h"

/* The name of each reason in JSON, and its text. If the text ends in "is in ", the name of the
 * input whose definition is used follows it. */
static const struct removal_text {
    const char *name;
    const char *text;
} TEXTS[] = {
    [WARPLD_REMOVED_UNREFERENCED] = {"unreferenced", "nothing that is kept uses it"},
    [WARPLD_REMOVED_NO_HOST_REFERENCE] = {"no-host-reference", "no host code refers to it"},
    [WARPLD_REMOVED_NOT_USED_BY_OPTION] = {"not-used-by-option",
                                           "no name of -kernels-used matches it"},
    [WARPLD_REMOVED_BY_STRONG] = {"strong-definition", "it is weak, and a strong one is in "},
    [WARPLD_REMOVED_BY_WEAK] = {"better-weak-definition",
                                "it is weak, and one that needs fewer registers or was compiled "
                                "for a later target is in "},
    [WARPLD_REMOVED_DUPLICATE] = {"duplicate", "it is weak, and an earlier one is in "},
    [WARPLD_REMOVED_UNUSED_INPUT] = {"unused-input", "nothing needs this input"},
};

const char *removal_name(enum warpld_removal reason)
{
    return TEXTS[reason].name;
}

void removed_put(const struct report *report, struct text_output *output,
                 const struct warpld_removed *removed)
{
    if (removed->name) {
        text_put(output, report_kind_name(removed->kind));
        text_put(output, " '");
        text_put_name(output, report_name(report, removed->name));
        text_put(output, "' of ");
    }
    text_put_name(output, removed->input);
    text_put(output, ": ");
    text_put(output, TEXTS[removed->reason].text);
    if (removed->used)
        text_put_name(output, removed->used);
}

static void put_counts(struct text_output *output, const uint64_t *counts)
{
    static const struct {
        enum warpld_symbol_kind kind;
        const char *text;
    } KINDS[] = {{WARPLD_SYMBOL_KERNEL, " kernels, "}, {WARPLD_SYMBOL_FUNCTION, " functions, "}};
    uint64_t others = 0;
    for (size_t i = 0; i <= WARPLD_SYMBOL_TEXTURE; i++)
        others += counts[i];
    text_put(output, "removed in all: ");
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        text_put_number(output, counts[KINDS[i].kind], 10, 0);
        text_put(output, KINDS[i].text);
        others -= counts[KINDS[i].kind];
    }
    text_put_number(output, others, 10, 0);
    text_put(output, " others\n");
}

bool removed_write(const struct report *report, struct text_output *output)
{
    struct warpld_removed removed = {.size = sizeof removed};
    uint64_t counts[WARPLD_SYMBOL_TEXTURE + 1] = {0};
    enum warpld_status status;
    for (size_t i = 0; (status = warpld_get_removed(report->link, i, &removed)) == WARPLD_OK; i++) {
        text_put(output, "removed ");
        removed_put(report, output, &removed);
        text_put_char(output, '\n');
        counts[removed.kind]++;
    }
    put_counts(output, counts);
    return status == WARPLD_END;
}
