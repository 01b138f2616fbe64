/* Limits on growth, for --fail-if; see changes.h. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tool/changes/changes.h"

static const char UNITS[] = "KMG";

/* Reads a number with its unit, such as "8", "10%" or "1K". Returns false if the text does not have
 * this form. */
static bool parse_amount(struct growth_limit *limit, const char *text)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    limit->amount = strtoull(text, &end, 10);
    if (limit->amount > UINT32_MAX)
        return false;
    const char *unit = *end ? strchr(UNITS, *end) : NULL;
    if (*end == '%') {
        limit->is_percent = true;
        end++;
    } else if (unit) {
        limit->amount <<= 10 * (unit - UNITS + 1);
        end++;
    }
    return !*end;
}

static bool parse_one(struct growth_limits *limits, char *text, struct arena *arena)
{
    char *plus = strchr(text, '+');
    if (!plus || plus == text)
        return false;
    *plus = 0;
    struct growth_limit limit = {.resource = text};
    if (!parse_amount(&limit, plus + 1))
        return false;
    *ARENA_APPEND(arena, limits, all) = limit;
    return true;
}

bool growth_limits_parse(struct growth_limits *limits, const char *text, struct arena *arena)
{
    char *next = arena_copy_string(arena, text, strlen(text));
    while (next) {
        char *comma = strchr(next, ',');
        if (comma)
            *comma++ = 0;
        if (!parse_one(limits, next, arena))
            return false;
        next = comma;
    }
    return true;
}

static bool exceeds(const struct growth_limit *limit, uint64_t old, uint64_t growth)
{
    if (!limit->is_percent)
        return growth && growth >= limit->amount;
    return growth && (double)growth * 100 >= (double)old * (double)limit->amount;
}

/* Whether the new value is an unlimited stack, which exceeds every limit. */
static bool becomes_unlimited(const struct change_row *row)
{
    return row->new.text && !strcmp(row->new.text, "unlimited");
}

bool growth_is_exceeded(const struct growth_limits *limits, const struct change_row *row)
{
    uint64_t old = row->old.known ? row->old.number : 0, new = row->new.known ? row->new.number : 0;
    for (uint32_t i = 0; i < limits->all_count; i++)
        if (!strcmp(limits->all[i].resource, row->resource) &&
            (becomes_unlimited(row) || (new > old &&exceeds(&limits->all[i], old, new - old))))
            return true;
    return false;
}
