/* Definitions and references; see references_text.h. */
#include "report/references_text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "report/name_filter.h"
#include "report/report.h"
#include "report/text_output.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* One symbol                                                                                    */

static void put_decision(struct text_output *output, const struct warpld_mention *mention)
{
    switch (mention->mention) {
    case WARPLD_MENTION_REFERENCE:
        text_put(output, mention->used ? ", defined in " : ", not defined");
        break;
    case WARPLD_MENTION_USED:
        text_put(output, mention->is_removed ? ", removed" : ", used");
        return;
    case WARPLD_MENTION_DISCARDED:
        text_put(output, ", discarded for that of ");
        break;
    case WARPLD_MENTION_SUPERSEDED:
        text_put(output, ", superseded by that of ");
        break;
    case WARPLD_MENTION_COMMON:
        text_put(output, ", common; the first is in ");
        break;
    }
    if (mention->used)
        text_put_name(output, mention->used);
}

static void put_mention(const struct report *report, struct text_output *output,
                        const struct warpld_mention *mention)
{
    bool is_reference = mention->mention == WARPLD_MENTION_REFERENCE;
    text_put_name(output, mention->input);
    text_put(output, ": ");
    text_put(output, mention->is_weak ? "weak " : mention->is_local ? "local " : "");
    text_put(output, is_reference ? "reference to " : "definition of ");
    text_put(output, report_kind_name(mention->kind));
    text_put(output, " '");
    text_put_name(output, report_name(report, mention->name));
    text_put_char(output, '\'');
    put_decision(output, mention);
    text_put_char(output, '\n');
}

bool trace_symbol_write(const struct report *report, struct text_output *output, const char *word)
{
    struct warpld_mention mention = {.size = sizeof mention};
    enum warpld_status status;
    bool is_any = false;
    for (size_t i = 0; (status = warpld_get_mention(report->link, i, &mention)) == WARPLD_OK; i++) {
        if (!name_is_meant(report, word, mention.name))
            continue;
        put_mention(report, output, &mention);
        is_any = true;
    }
    if (!is_any) {
        text_put_char(output, '\'');
        text_put_name(output, word);
        text_put(output, "': no input has a symbol of this name\n");
    }
    return status == WARPLD_END;
}

/* --------------------------------------------------------------------------------------------- */
/* All symbols                                                                                   */

struct cross_reference {
    const char *name; /* as it is shown */
    const char *mangled;
    const char *input;
    enum warpld_mention_kind mention;
    uint32_t order; /* index of the mention in the order of warpld_get_mention */
};

struct cross_references {
    GROWING_ARRAY(struct cross_reference, list);
};

/* Ranks the mentions of one name: first the definition that is used, then other definitions, then
 * references. */
static int rank_of(const struct cross_reference *reference)
{
    return reference->mention == WARPLD_MENTION_USED        ? 0
           : reference->mention == WARPLD_MENTION_REFERENCE ? 2
                                                            : 1;
}

static int by_name_and_rank(const void *a, const void *b)
{
    const struct cross_reference *first = a, *second = b;
    int order = strcmp(first->name, second->name);
    if (!order)
        order = strcmp(first->mangled, second->mangled);
    if (!order)
        order = rank_of(first) - rank_of(second);
    return order ? order : first->order < second->order ? -1 : first->order > second->order;
}

static const char *word_of_mention(enum warpld_mention_kind mention)
{
    static const char *const WORDS[] = {
        [WARPLD_MENTION_REFERENCE] = "",
        [WARPLD_MENTION_USED] = " (definition)",
        [WARPLD_MENTION_DISCARDED] = " (discarded definition)",
        [WARPLD_MENTION_SUPERSEDED] = " (superseded definition)",
        [WARPLD_MENTION_COMMON] = " (common)",
    };
    return WORDS[mention];
}

static void put_reference(struct text_output *output, const struct cross_reference *reference,
                          bool is_first)
{
    enum { SYMBOL_COLUMNS = 50 };
    size_t size = is_first ? text_put_name(output, reference->name) : 0;
    text_put_spaces(output, size < SYMBOL_COLUMNS ? SYMBOL_COLUMNS - size : 1);
    text_put_name(output, reference->input);
    text_put(output, word_of_mention(reference->mention));
    text_put_char(output, '\n');
}

bool cross_references_write(const struct report *report, struct text_output *output)
{
    struct cross_references all = {.list = NULL};
    struct warpld_mention mention = {.size = sizeof mention};
    enum warpld_status status;
    for (size_t i = 0; (status = warpld_get_mention(report->link, i, &mention)) == WARPLD_OK; i++)
        if (!mention.is_local && !mention.is_of_linker)
            *ARENA_APPEND(report->arena, &all, list) =
                (struct cross_reference){report_name(report, mention.name), mention.name,
                                         mention.input, mention.mention, (uint32_t)i};
    if (all.list_count)
        qsort(all.list, all.list_count, sizeof *all.list, by_name_and_rank);
    text_put(output, "Symbol                                            Input\n");
    for (size_t i = 0; i < all.list_count; i++)
        put_reference(output, &all.list[i],
                      !i || strcmp(all.list[i].mangled, all.list[i - 1].mangled) != 0);
    return status == WARPLD_END;
}
