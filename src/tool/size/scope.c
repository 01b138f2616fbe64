/* Takes readable names apart; see scope.h. */
#include "tool/size/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char OPERATOR[] = "operator";

/* Returns the size of the name of an operator at the start of the text, such as "operator<<" or
 * "operator()"; 0: none. */
static size_t operator_size(const char *text)
{
    size_t size = strlen(OPERATOR);
    if (strncmp(text, OPERATOR, size) != 0)
        return 0;
    if (!strncmp(text + size, "()", 2))
        return size + 2;
    return size + strspn(text + size, "<>=!+-*/%^&|~,[]");
}

static int depth_change(char c)
{
    return strchr("<([{", c) ? 1 : strchr(">)]}", c) ? -1 : 0;
}

/* Whether the parameters begin at `at`: at a "(", but not that of "(anonymous namespace)::f". */
static bool opens_parameters(const char *at)
{
    return *at == '(' && strncmp(at, "(anonymous", strlen("(anonymous")) != 0;
}

/* Sets [*start, *end) to the qualified name, without the preceding type and the parameters. */
static void find_qualified(const char *readable, const char **start, const char **end)
{
    int depth = 0;
    *start = readable;
    for (*end = readable; **end; ++*end) {
        size_t size = depth ? 0 : operator_size(*end);
        if (size) {
            *end += size;
            return;
        }
        if (!depth && opens_parameters(*end))
            return;
        if (!depth && **end == ' ')
            *start = *end + 1;
        depth += depth_change(**end);
    }
}

/* Returns the text without the arguments in angle brackets. Sets *had_any if there are any. */
static char *without_arguments(const char *start, const char *end, bool *had_any,
                               struct arena *arena)
{
    char *text = arena_alloc(arena, (size_t)(end - start) + 1), *out = text;
    int depth = 0;
    for (const char *at = start; at < end; at++) {
        size_t size = depth ? 0 : operator_size(at);
        if (size) {
            memcpy(out, at, size);
            out += size;
            at += size - 1;
            continue;
        }
        depth -= *at == '>';
        if (!depth)
            *out++ = *at;
        depth += *at == '<';
        *had_any |= *at == '<';
    }
    *out = 0;
    return text;
}

const char *template_of(const char *readable, struct arena *arena)
{
    const char *start, *end;
    bool is_instance = false;
    find_qualified(readable, &start, &end);
    const char *text = without_arguments(start, end, &is_instance, arena);
    return is_instance ? text : NULL;
}

const char *scope_of(const char *readable, struct arena *arena)
{
    const char *start, *end;
    bool had_arguments = false;
    find_qualified(readable, &start, &end);
    char *text = without_arguments(start, end, &had_arguments, arena), *last = NULL;
    for (char *at = text; (at = strstr(at, "::")); at += 2)
        last = at;
    if (!last)
        return NULL;
    *last = 0;
    return text;
}
