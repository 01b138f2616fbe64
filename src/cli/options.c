/* The command line; see options.h. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

enum argument { FLAG, VALUE, LIST };

static const struct option {
    const char *long_name;
    const char *short_name;
    enum argument argument;
    const char *value;
    const char *help;
} OPTIONS[OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, argument, value, help)                                   \
    {long_name, short_name, argument, value, help},
#include "cli/options.def"
#undef OPTION
};

struct parser {
    struct command_line *line;
    int argc;
    char **argv;
    int next;
    char *free_storage;
    option_problem_handler *handler;
    void *context;
};

static bool complain(struct parser *parser, bool fatal, const char *format, const char *what,
                     const char *more)
{
    struct option_problem problem = {.fatal = fatal};
    snprintf(problem.text, sizeof problem.text, format, what, more);
    parser->handler(parser->context, &problem);
    return !fatal;
}

/* The option that a word names, without what follows '='; OPTION_COUNT for none. Two dashes go with
 * the long name only, one dash with the short one. */
static enum option_id find_option(const char *word, size_t size)
{
    bool is_long = size > 2 && word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size -= is_long ? 2 : 1;
    for (int id = 0; id < OPTION_COUNT; id++) {
        const char *known = is_long ? OPTIONS[id].long_name : OPTIONS[id].short_name;
        if (strlen(known) == size && !memcmp(known, name, size))
            return (enum option_id)id;
    }
    return OPTION_COUNT;
}

static void add_list_items(struct parser *parser, const char *value)
{
    struct command_line *line = parser->line;
    char *item = parser->free_storage;
    size_t size = strlen(value) + 1;
    memcpy(item, value, size);
    parser->free_storage += size;
    while (item) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = 0;
        if (*item)
            line->kernels_used[line->kernels_used_count++] = item;
        item = comma;
    }
}

static bool store_value(struct parser *parser, enum option_id id, const char *value)
{
    struct command_line *line = parser->line;
    if (OPTIONS[id].argument == LIST) {
        add_list_items(parser, value);
        return true;
    }
    const char *older = line->values[id];
    line->values[id] = value;
    if (older && strcmp(older, value) != 0)
        return complain(parser, false,
                        "incompatible redefinition for option '%s', the last value of this option "
                        "was used%s",
                        OPTIONS[id].long_name, "");
    return true;
}

static bool parse_option(struct parser *parser, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t size = equals ? (size_t)(equals - word) : strlen(word);
    enum option_id id = find_option(word, size);
    if (id == OPTION_COUNT)
        return complain(parser, true, "Unknown option '%s'%s", word + 1, "");
    parser->line->given[id] = true;
    if (OPTIONS[id].argument == FLAG)
        return equals ? complain(parser, true, "no argument expected after '%s'%s", word, "")
                      : true;
    if (equals)
        return store_value(parser, id, equals + 1);
    if (parser->next == parser->argc)
        return complain(parser, true, "argument expected after '%s'%s", word, "");
    return store_value(parser, id, parser->argv[parser->next++]);
}

/* A list option has at most as many items as its text has characters. */
static bool reserve(struct command_line *line, int argc, char **argv)
{
    size_t characters = 1;
    for (int i = 1; i < argc; i++)
        characters += strlen(argv[i]) + 1;
    line->inputs = calloc((size_t)argc + 1, sizeof *line->inputs);
    line->kernels_used = calloc(characters, sizeof *line->kernels_used);
    line->storage = malloc(characters);
    return line->inputs && line->kernels_used && line->storage;
}

bool command_line_parse(struct command_line *line, int argc, char **argv,
                        option_problem_handler *handler, void *context)
{
    *line = (struct command_line){.inputs = NULL};
    struct parser parser = {line, argc, argv, 1, NULL, handler, context};
    if (!reserve(line, argc, argv))
        return complain(&parser, true, "Out of memory%s%s", "", "");
    parser.free_storage = line->storage;
    while (parser.next < argc) {
        const char *word = argv[parser.next++];
        if (word[0] == '-' && word[1])
            if (parse_option(&parser, word))
                continue;
            else
                return false;
        else
            line->inputs[line->inputs_count++] = word;
    }
    return true;
}

void command_line_free(struct command_line *line)
{
    free(line->inputs);
    free(line->kernels_used);
    free(line->storage);
}

void options_print_help(FILE *stream, const char *program)
{
    fprintf(stream,
            "Usage: %s -arch ARCH -o FILE [options] INPUT...\n\n"
            "Links relocatable CUDA device objects (cubins) into one executable cubin.\n\n",
            program);
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option *option = &OPTIONS[id];
        fprintf(stream, "  --%s, -%s %s\n        %s\n", option->long_name, option->short_name,
                option->value, option->help);
    }
}
