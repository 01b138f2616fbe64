/* Finds the input that code comes from; see code_origin.h.
 *
 * The object that the optimiser makes does not say from which input a function comes. It is not
 * published how LTO-IR names its modules. With -lineinfo, the PTX of the optimiser has a line
 * table. In each function, the first .loc without `inlined_at` names the function's source file
 * (nvJitLink 12.0 to 13.5):
 *
 *     .visible .entry _Z6kernelPf(
 *     ...
 *         .loc    1 4 0
 *         .loc    2 3 31, function_name $L__info_string0, inlined_at 1 4 30
 *     ...
 *         .file   1 "/src/a.cu"
 *
 * The .file lines follow all functions. The first call of code_origin reads the text once, and
 * collects functions and files. */
#define _GNU_SOURCE /* memmem */
#include "link/notes/code_origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/name_table.h"
#include "base/ptx_functions.h"
#include "link/input/input_state.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"

enum { DECIMAL = 10, MOST_FILES = 1 << 14 };

struct optimised_function {
    struct name name;
    uint32_t file; /* number of the source file; 0: unknown */
};

/* The state while the PTX is read, line by line. */
struct origin_reader {
    link_context *link;
    struct code_origins *origins;
    struct optimised_function *function; /* the function whose lines are being read; or NULL */
};

/* Reads the number of a source file. Returns 0 if it is out of range. */
static uint32_t file_number(const char *text, char **rest)
{
    unsigned long number = strtoul(text, rest, DECIMAL);
    return number < MOST_FILES ? (uint32_t)number : 0;
}

static void take_location(struct origin_reader *reader, const char *text, size_t size)
{
    static const char INLINED[] = "inlined_at";
    char *rest;
    if (!reader->function || reader->function->file || memmem(text, size, INLINED, strlen(INLINED)))
        return;
    reader->function->file = file_number(text, &rest);
}

/* Reads a .file line: the number of a source file, and the file's name in quotes. */
static void take_source_file(struct origin_reader *reader, const char *text, size_t size)
{
    char *rest;
    const char *end = text + size;
    uint32_t number = file_number(text, &rest);
    const char *start = memchr(rest, '"', rest < end ? (size_t)(end - rest) : 0);
    const char *close = start ? memchr(start + 1, '"', (size_t)(end - start - 1)) : NULL;
    if (number && close)
        reader->origins->inputs[number] =
            arena_format(&reader->link->arena, "%s:%.*s", reader->link->input->optimised->name,
                         (int)(close - start - 1), start + 1);
}

static void take_function(struct origin_reader *reader, const char *line)
{
    struct ptx_function function;
    if (ptx_function_in_line(line, &function))
        reader->function = name_table_intern_bytes(
            &reader->origins->functions,
            arena_copy_string(&reader->link->arena, function.name, function.name_size),
            function.name_size);
}

static void take_line(struct origin_reader *reader, const char *line, size_t size)
{
    static const char LOCATION[] = ".loc", FILE_NAME[] = ".file";
    size_t blanks = strspn(line, " \t");
    const char *word = line + blanks;
    if (*word != '.')
        return;
    size_t letters = strcspn(word, " \t\n"), rest = size - blanks - letters;
    if (letters == strlen(LOCATION) && !memcmp(word, LOCATION, letters))
        take_location(reader, word + letters, rest);
    else if (letters == strlen(FILE_NAME) && !memcmp(word, FILE_NAME, letters))
        take_source_file(reader, word + letters, rest);
    else if (!blanks)
        take_function(reader, line);
}

static void collect(link_context *link, struct code_origins *origins)
{
    struct origin_reader reader = {.link = link, .origins = origins};
    const char *line = (const char *)link->input->optimised_ptx.data;
    *origins = (struct code_origins){.is_collected = true};
    name_table_init(&origins->functions, &link->arena, sizeof(struct optimised_function));
    origins->inputs = ARENA_ARRAY(&link->arena, const char *, MOST_FILES);
    while (line && *line) {
        size_t size = strcspn(line, "\n");
        take_line(&reader, line, size);
        line += size + (line[size] == '\n');
    }
}

const char *code_origin(link_context *link, const struct symbol *symbol)
{
    const char *name = symbol->object->name;
    struct code_origins *origins = &link->input->origins;
    if (symbol->object != link->input->optimised || !symbol->function)
        return name;
    if (!origins->is_collected)
        collect(link, origins);
    const struct optimised_function *function =
        name_table_find(&origins->functions, symbol_name(symbol));
    const char *origin = function ? origins->inputs[function->file] : NULL;
    return origin ? origin : name;
}
