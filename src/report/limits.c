/* Reads and checks limits on what kernels need; see limits.h. */
#include "report/limits.h"

#include <string.h>

#include "base/arena.h"
#include "report/name_filter.h"
#include "report/report.h"

static const struct resource_words {
    const char *name; /* in the option */
    const char *text; /* in messages */
} RESOURCES[] = {
    [LIMITED_REGISTERS] = {"registers", "registers"},
    [LIMITED_STACK] = {"stack", "bytes of stack"},
    [LIMITED_SHARED] = {"shared", "bytes of shared memory"},
    [LIMITED_LOCAL] = {"local", "bytes of local memory"},
    [LIMITED_CONSTANT] = {"constant", "bytes of constant memory"},
    [LIMITED_PARAMETERS] = {"parameters", "bytes of parameters"},
    [LIMITED_BARRIERS] = {"barriers", "barriers"},
};

const char *limited_resource_text(enum limited_resource resource)
{
    return RESOURCES[resource].text;
}

/* --------------------------------------------------------------------------------------------- */
/* Reading                                                                                       */

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Reads an amount such as "48K". Returns the text that follows it. Returns NULL if there is no
 * number, or if the number without its unit is above 2^40. */
static const char *read_amount(const char *text, uint64_t *amount)
{
    static const char UNITS[] = "KMG";
    const uint64_t largest = UINT64_C(1) << 40;
    *amount = 0;
    if (!is_digit(*text))
        return NULL;
    for (; is_digit(*text); text++)
        if ((*amount = *amount * 10 + (uint64_t)(*text - '0')) > largest)
            return NULL;
    const char *unit = *text ? strchr(UNITS, *text) : NULL;
    for (size_t i = 0; unit && i <= (size_t)(unit - UNITS); i++)
        *amount <<= 10;
    return unit ? text + 1 : text;
}

static int find_resource(const char *text, size_t size)
{
    for (int i = 0; i < LIMITED_COUNT; i++)
        if (strlen(RESOURCES[i].name) == size && !memcmp(text, RESOURCES[i].name, size))
            return i;
    return LIMITED_COUNT;
}

/* Reads a limit such as "stack<=1024". Returns the text that follows it, or NULL if this is no
 * limit. "local=0" is the same as "local<=0", and "registers<128" as "registers<=127". */
static const char *read_limit(const char *text, struct limit *limit)
{
    size_t size = strcspn(text, "<=,");
    int resource = find_resource(text, size);
    const char *sign = text + size;
    size_t sign_size = strspn(sign, "<=");
    bool is_less = sign_size == 1 && *sign == '<';
    bool is_sign = is_less || (sign_size == 1 && *sign == '=') || !strncmp(sign, "<=", sign_size);
    if (resource == LIMITED_COUNT || !sign_size || !is_sign)
        return NULL;
    const char *end = read_amount(sign + sign_size, &limit->most);
    limit->resource = (enum limited_resource)resource;
    if (end && is_less && !limit->most--)
        return NULL;
    return end;
}

const char *limits_read(struct limits *limits, struct arena *arena, const char *text)
{
    static const char EXAMPLE[] = "'PATTERN:registers<=128,stack<=1024,shared<=48K,local=0'";
    const char *colon = strrchr(text, ':'), *next = colon; /* names can have colons */
    if (!colon || colon == text)
        return arena_format(arena, "'%s' is no limit such as %s", text, EXAMPLE);
    const char *pattern = arena_copy_string(arena, text, (size_t)(colon - text));
    do {
        struct limit limit = {.pattern = pattern};
        next = read_limit(next + 1, &limit);
        if (!next || (*next && *next != ','))
            return arena_format(arena, "'%s' is no list of limits such as %s", colon + 1, EXAMPLE);
        *ARENA_APPEND(arena, limits, list) = limit;
    } while (*next);
    return NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Checking                                                                                      */

static uint64_t amount_of(const struct warpld_kernel *kernel, enum limited_resource resource)
{
    const uint64_t amounts[] = {
        [LIMITED_REGISTERS] = kernel->registers,     [LIMITED_STACK] = kernel->stack_bytes,
        [LIMITED_SHARED] = kernel->shared_bytes,     [LIMITED_LOCAL] = kernel->local_bytes,
        [LIMITED_CONSTANT] = kernel->constant_bytes, [LIMITED_PARAMETERS] = kernel->parameter_bytes,
        [LIMITED_BARRIERS] = kernel->barriers,
    };
    return amounts[resource];
}

/* Compares a kernel with all limits. Limits from the same --limit option are adjacent and share the
 * pointer to their pattern. This saves comparing the kernel's name with that pattern again. */
static void check_kernel(const struct report *report, struct limits *limits,
                         struct limit_excess *excess, take_excess *take, void *context)
{
    const char *pattern = NULL;
    bool matches = false;
    struct name_forms forms = {.mangled = NULL};
    if (limits->list_count)
        forms = name_forms_of(report, excess->kernel->name);
    for (size_t i = 0; i < limits->list_count; i++) {
        struct limit *limit = &limits->list[i];
        if (limit->pattern != pattern)
            matches = name_forms_match(&forms, limit->pattern);
        pattern = limit->pattern;
        if (!matches)
            continue;
        limit->is_used = true;
        excess->limit = limit;
        excess->amount = amount_of(excess->kernel, limit->resource);
        excess->is_unbounded = limit->resource == LIMITED_STACK && !excess->kernel->is_stack_known;
        if (excess->amount > limit->most || excess->is_unbounded)
            take(context, excess);
    }
}

bool limits_check(const struct report *report, struct limits *limits, take_excess *take,
                  void *context)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    struct limit_excess excess = {.kernel = &kernel};
    enum warpld_status status;
    for (; (status = warpld_get_kernel(report->link, excess.number, &kernel)) == WARPLD_OK;
         excess.number++)
        check_kernel(report, limits, &excess, take, context);
    return status == WARPLD_END;
}
