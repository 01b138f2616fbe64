/* Reads a report of the linker; see link_report.h. If the report lacks a value, or if the value has
 * another type, it is read as 0 or NULL. */
#include "tool/link_report/link_report.h"

#include <string.h>

#include "base/arena.h"
#include "tool/decode/tool_error.h"

struct link_report *link_report_open(const char *path, struct arena *arena)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!root)
        tool_error("%s: %s", path, error.text);
    else if (!format || strcmp(format, "warpld-report"))
        tool_error("%s: no report of warpld --report=FILE.json", path);
    if (!root || !format || strcmp(format, "warpld-report")) {
        json_decref(root);
        return NULL;
    }
    struct link_report *report = arena_alloc(arena, sizeof *report);
    *report = (struct link_report){path, root};
    return report;
}

void link_report_close(struct link_report *report)
{
    if (report)
        json_decref(report->root);
}

static json_t *member_at(const json_t *root, const char *array, const json_t *index)
{
    return json_is_integer(index) && json_integer_value(index) >= 0
               ? json_array_get(json_object_get(root, array), (size_t)json_integer_value(index))
               : NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static uint64_t number_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < 0 ? 0 : (uint64_t)value;
}

static const char *input_of(const struct link_report *report, const json_t *object)
{
    return json_string_value(member_at(report->root, "inputs", json_object_get(object, "input")));
}

static const char *function_name(const struct link_report *report, const json_t *index)
{
    return text_of(member_at(report->root, "functions", index), "name");
}

static const json_t *find_kernel(const struct link_report *report, const char *name)
{
    const json_t *kernels = json_object_get(report->root, "kernels");
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        const char *its = function_name(report, json_object_get(kernel, "function"));
        if (its && !strcmp(its, name))
            return kernel;
    }
    return NULL;
}

bool link_report_knows(const struct link_report *report, const char *kernel)
{
    return find_kernel(report, kernel) != NULL;
}

bool link_report_own_registers(const struct link_report *report, const char *kernel,
                               uint32_t *registers)
{
    const json_t *own = json_object_get(find_kernel(report, kernel), "own_registers");
    *registers = (uint32_t)json_integer_value(own);
    return json_is_integer(own);
}

static struct report_variable variable_of(const struct link_report *report, const json_t *part)
{
    const char *name = text_of(part, "readable");
    return (struct report_variable){
        .address = number_of(part, "address"),
        .bytes = number_of(part, "bytes"),
        .name = name ? name : text_of(part, "name"),
        .user = function_name(report, json_object_get(part, "user")),
        .input = input_of(report, part),
    };
}

/* Returns a piece that has no parts in the report as one variable. */
static struct report_variable whole_piece(const struct link_report *report, const json_t *piece)
{
    return (struct report_variable){.bytes = number_of(piece, "bytes"),
                                    .name = text_of(piece, "symbol"),
                                    .input = input_of(report, piece)};
}

struct report_variables {
    GROWING_ARRAY(struct report_variable, all);
};

static void add_variables(const struct link_report *report, const json_t *piece,
                          struct report_variables *variables, struct arena *arena)
{
    const json_t *parts = json_object_get(piece, "parts");
    for (size_t i = 0; i < json_array_size(parts); i++)
        *ARENA_APPEND(arena, variables, all) = variable_of(report, json_array_get(parts, i));
    if (!parts)
        *ARENA_APPEND(arena, variables, all) = whole_piece(report, piece);
}

struct report_variable *link_report_parts(const struct link_report *report, const char *section,
                                          struct arena *arena, size_t *count)
{
    struct report_variables found = {.all = NULL};
    const json_t *pieces = json_object_get(report->root, "pieces");
    for (size_t i = 0; i < json_array_size(pieces); i++) {
        const json_t *piece = json_array_get(pieces, i);
        const char *name = text_of(piece, "name");
        if (name && !strcmp(name, section))
            add_variables(report, piece, &found, arena);
    }
    *count = found.all_count;
    return found.all;
}

/* ---------------------------------------------------------------------------------------------- */
/* Shares                                                                                         */

struct shares {
    GROWING_ARRAY(struct report_share, all);
};

static void add_share(struct shares *shares, const char *input, uint64_t file, uint64_t memory,
                      struct arena *arena)
{
    if (file || memory)
        *ARENA_APPEND(arena, shares, all) = (struct report_share){input, file, memory};
}

/* Adds the shares of one piece. The bytes of each part are a share of the part's input. The
 * remaining bytes are a share of the piece's input, or of the linker if the piece has no input. */
static void add_parts(const struct link_report *report, const json_t *piece, struct shares *shares,
                      struct arena *arena)
{
    const json_t *parts = json_object_get(piece, "parts");
    bool is_memory = text_of(piece, "space") != NULL,
         shares_bytes = json_object_get(piece, "shares_bytes");
    uint64_t file = shares_bytes ? 0 : number_of(piece, "file_bytes");
    uint64_t memory = is_memory ? number_of(piece, "bytes") : 0;
    bool has_bytes = file && file == number_of(piece, "bytes");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        uint64_t bytes = number_of(part, "bytes");
        uint64_t in_file = has_bytes && bytes <= file ? bytes : 0;
        uint64_t in_memory = bytes <= memory ? bytes : 0;
        const char *input = input_of(report, part);
        if (!input)
            continue;
        add_share(shares, input, in_file, in_memory, arena);
        file -= in_file;
        memory -= in_memory;
    }
    add_share(shares, input_of(report, piece), file, memory, arena);
}

struct report_share *link_report_shares(const struct link_report *report, struct arena *arena,
                                        size_t *count)
{
    struct shares shares = {.all = NULL};
    const json_t *pieces = json_object_get(report->root, "pieces");
    for (size_t i = 0; i < json_array_size(pieces); i++)
        add_parts(report, json_array_get(pieces, i), &shares, arena);
    *count = shares.all_count;
    return shares.all;
}
