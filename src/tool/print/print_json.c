/* Makes and prints JSON with jansson; see print.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/json_escape.h"
#include "base/latin1.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/print/print.h"

static void out_of_memory(void)
{
    fputs("cubintool: out of memory\n", stderr);
    exit(TOOL_EXIT_UNUSABLE);
}

/* jansson returns NULL only if memory is exhausted, because texts are converted to valid UTF-8
 * before. */
json_t *json_made(json_t *value)
{
    if (!value)
        out_of_memory();
    return value;
}

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct arena arena;
    tool_arena_init(&arena);
    value = json_string(latin1_to_utf8(&arena, text));
    arena_destroy(&arena);
    return json_made(value);
}

static json_t *json_number(const struct fact *fact)
{
    uint64_t number = fact->value.number;
    if (fact->kind == FACT_SIGNED || number <= INT64_MAX)
        return json_made(json_integer((json_int_t)number));
    char text[sizeof "0xffffffffffffffff"];
    snprintf(text, sizeof text, "0x%" PRIx64, number);
    return json_text(text);
}

static json_t *json_bytes(const struct fact *fact)
{
    struct arena arena;
    tool_arena_init(&arena);
    json_t *value = json_text(fact_text(&arena, fact));
    arena_destroy(&arena);
    return value;
}

static json_t *json_words(const struct fact *fact)
{
    json_t *array = json_made(json_array());
    for (size_t i = 0; i < fact->count; i++)
        json_array_append_new(array, json_made(json_integer(load_u32(fact->value.data + 4 * i))));
    return array;
}

static json_t *json_names(const struct fact *fact)
{
    json_t *array = json_made(json_array());
    for (uint32_t i = 0; i < fact->count; i++)
        json_array_append_new(array, json_text(fact->value.names[i]));
    return array;
}

static json_t *json_fact(const struct fact *fact)
{
    switch ((enum fact_kind)fact->kind) {
    case FACT_NUMBER:
    case FACT_HEX:
    case FACT_SIGNED:
        return json_number(fact);
    case FACT_TEXT:
        return json_text(fact->value.text);
    case FACT_BYTES:
        return json_bytes(fact);
    case FACT_WORDS:
        return json_words(fact);
    case FACT_NAMES:
        return json_names(fact);
    case FACT_ABSENT:
        break;
    }
    return json_null();
}

json_t *json_row(const struct listing *listing, const struct row *row)
{
    json_t *object = json_made(json_object());
    const struct fact *facts = row_facts(listing, row);
    for (unsigned i = 0; i < row->fact_count; i++)
        json_object_set_new(object, facts[i].key, json_fact(&facts[i]));
    return object;
}

json_t *json_listing(const struct listing *listing)
{
    json_t *array = json_made(json_array());
    for (size_t i = 0; i < listing->rows_count; i++)
        json_array_append_new(array, json_row(listing, &listing->rows[i]));
    return array;
}

void print_json(json_t *value)
{
    char *text = json_escape_del(json_dumps(value, JSON_INDENT(1) | JSON_ENSURE_ASCII));
    json_decref(value);
    if (!text)
        out_of_memory();
    puts(text);
    free(text);
}
