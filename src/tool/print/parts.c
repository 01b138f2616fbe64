/* Prints documents of parts; see parts.h. */
#include "tool/print/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "tool/decode/listing.h"
#include "tool/print/print.h"

struct part *parts_add(struct parts *parts, const char *key, const char *title)
{
    struct part *part = arena_alloc(parts->arena, sizeof *part);
    *part = (struct part){.key = key, .title = title};
    listing_init(&part->rows, parts->arena, LAYOUT_TABLE);
    *ARENA_APPEND(parts->arena, parts, all) = part;
    return part;
}

void part_say(struct parts *parts, struct part *part, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    char *text = arena_alloc(parts->arena, size < 0 ? 1 : (size_t)size + 1);
    if (size >= 0)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(arguments);
    *ARENA_APPEND(parts->arena, part, lines) = text;
}

static void print_rows(const struct listing *rows, size_t limit)
{
    struct listing shown = *rows;
    if (shown.rows_count > limit)
        shown.rows_count = (uint32_t)limit;
    print_listing(&shown, 2);
    if (rows->rows_count > limit)
        printf("  %zu more rows; --limit sets how many are printed\n", rows->rows_count - limit);
}

void print_parts(const struct parts *parts, size_t limit)
{
    for (uint32_t i = 0; i < parts->all_count; i++) {
        const struct part *part = parts->all[i];
        bool is_empty = !part->lines_count && !part->rows.rows_count && !strchr(part->title, ':');
        printf("\n%s%s\n", terminal_text_show(parts->arena, part->title), is_empty ? ": none" : "");
        for (uint32_t k = 0; k < part->lines_count; k++)
            printf("  %s\n", terminal_text_show(parts->arena, part->lines[k]));
        print_rows(&part->rows, limit);
    }
}

void json_parts(const struct parts *parts, json_t *object)
{
    for (uint32_t i = 0; i < parts->all_count; i++) {
        const struct part *part = parts->all[i];
        json_t *value = json_made(json_object()), *text = json_made(json_array());
        for (uint32_t k = 0; k < part->lines_count; k++)
            json_array_append_new(text, json_text(part->lines[k]));
        json_object_set_new(value, "text", text);
        json_object_set_new(value, "rows", json_listing(&part->rows));
        json_object_set_new(object, part->key, value);
    }
}
