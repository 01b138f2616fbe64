/* The command line; see options.h. Grammar and messages are those of nvlink 13.0.88. */
#include "cli/options/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/keywords.h"
#include "cli/options/list_value.h"
#include "cli/options/options_file.h"

enum argument { FLAG, TEXT, INTEGER, BOOLEAN, KEYWORD, OPTIONAL, LIST };
enum effect { ACTS, NONE, LTO, LATER };

static const struct option {
    const char *long_name;
    const char *short_name; /* empty when there is none */
    enum argument argument;
    const char *value;
    enum effect effect;
    const char *help;
} OPTIONS[OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, argument, value, effect, help)                           \
    {long_name, short_name, argument, value, effect, help},
#include "cli/options/options.def"
#undef OPTION
};

struct parser {
    struct command_line *line;
    struct word_source *words;
    option_problem_handler *handler;
    void *context;
};

static bool complain(struct parser *parser, bool fatal, const char *text)
{
    struct option_problem problem = {text, fatal};
    parser->handler(parser->context, &problem);
    return !fatal;
}

#define FATAL(parser, ...)                                                                         \
    complain((parser), true, arena_format((parser)->line->arena, __VA_ARGS__))

/* --------------------------------------------------------------------------------------------- */
/* Which option a word names                                                                     */

/* Values of these may be glued to the letter. */
static bool takes_glued_value(enum option_id id)
{
    return id == OPTION_LIBRARY || id == OPTION_LIBRARY_PATH || id == OPTION_MACHINE;
}

/* An option with what the word holds besides its name. */
struct option_word {
    enum option_id id; /* OPTION_COUNT: none */
    const char *value; /* after '=', or glued; NULL */
};

/* Two dashes go with the long name only, one dash with the short one. */
static struct option_word find_option(const char *word)
{
    bool is_long = word[1] == '-' && word[2];
    const char *name = word + (is_long ? 2 : 1);
    size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;
    for (int id = 0; id < OPTION_COUNT; id++) {
        const char *known = is_long ? OPTIONS[id].long_name : OPTIONS[id].short_name;
        if (size && strlen(known) == size && !memcmp(known, name, size))
            return (struct option_word){(enum option_id)id, value};
    }
    for (int id = 0; id < OPTION_COUNT && !is_long; id++)
        if (takes_glued_value((enum option_id)id) && *name == *OPTIONS[id].short_name)
            return (struct option_word){(enum option_id)id, name + 1};
    return (struct option_word){OPTION_COUNT, NULL};
}

/* --------------------------------------------------------------------------------------------- */
/* Values                                                                                        */

static bool add_items(struct parser *parser, enum option_id id, const char *text)
{
    struct arena *arena = parser->line->arena;
    struct option_value *option = &parser->line->options[id];
    struct list_value list = {.items = NULL};
    const char *problem = list_value_read(&list, arena, text);
    for (size_t i = 0; i < list.items_count; i++)
        *ARENA_APPEND(arena, option, items) = list.items[i];
    return !problem || complain(parser, true, problem);
}

/* An empty value is 0. */
static bool read_integer(struct parser *parser, const char *text, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(text, &end, 0);
    if (*text && (end == text || *end))
        return FATAL(parser, "'%s': expected a number", text);
    if (errno || *number > INT_MAX || *number < INT_MIN)
        return FATAL(parser, "32-bit integer value (%s) out of range", text);
    return true;
}

static bool read_boolean(struct parser *parser, const char *text, long *number)
{
    *number = !strcmp(text, "true");
    return *number || !strcmp(text, "false") || FATAL(parser, "'%s': expected true or false", text);
}

static bool check_keyword(struct parser *parser, enum option_id id, const char *text)
{
    return keyword_is_defined(id, text) ||
           FATAL(parser, "Value '%s' is not defined for option '%s'", text, OPTIONS[id].long_name);
}

static bool check_value(struct parser *parser, enum option_id id, const char *text)
{
    struct option_value *option = &parser->line->options[id];
    switch (OPTIONS[id].argument) {
    case INTEGER:
        return read_integer(parser, text, &option->number) &&
               (id != OPTION_MACHINE || option->number == 64 || check_keyword(parser, id, text));
    case BOOLEAN:
        return read_boolean(parser, text, &option->number);
    case OPTIONAL: /* that of -Ofc is looked at when the link begins */
        return id == OPTION_FAST_COMPILE || check_keyword(parser, id, text);
    case KEYWORD:
        return check_keyword(parser, id, text);
    default:
        return true;
    }
}

static bool store_value(struct parser *parser, enum option_id id, const char *text)
{
    struct option_value *option = &parser->line->options[id];
    if (OPTIONS[id].argument == LIST)
        return add_items(parser, id, text);
    if (!check_value(parser, id, text))
        return false;
    if (OPTIONS[id].argument == INTEGER) /* the tool note has it so */
        text = arena_format(parser->line->arena, "%ld", option->number);
    const char *older = option->text;
    option->text = text;
    if (older && strcmp(older, text) != 0)
        complain(parser, false,
                 arena_format(parser->line->arena,
                              "incompatible redefinition for option '%s', the last value of this "
                              "option was used",
                              OPTIONS[id].long_name));
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Words                                                                                         */

/* A file that cannot be read or holds a stray quote ends the command line. */
static bool open_file(struct parser *parser, const char *path)
{
    const char *problem = word_source_open(parser->words, path);
    return !problem || complain(parser, true, problem);
}

/* The words of the first file come first, and the first that cannot be read is named. */
static bool open_files(struct parser *parser, const char *text)
{
    struct list_value list = {.items = NULL};
    const char *problem = list_value_read(&list, parser->line->arena, text);
    if (problem)
        return complain(parser, true, problem);
    int opened = parser->words->depth;
    for (size_t i = 0; i < list.items_count; i++)
        if (!open_file(parser, list.items[i]))
            return false;
    word_source_turn(parser->words, opened);
    return true;
}

static void remember_word(struct parser *parser, enum option_id id, const char *value)
{
    struct command_line *line = parser->line;
    *ARENA_APPEND(line->arena, line, given) = (struct given_word){id, value};
}

static bool parse_flag(struct parser *parser, enum option_id id, const char *word,
                       const char *value)
{
    remember_word(parser, id, NULL);
    return !value ||
           FATAL(parser, "no argument expected after '%.*s'", (int)strcspn(word, "="), word);
}

/* The word behind an option; for one that needs none, its default. */
static const char *next_value(struct parser *parser, enum option_id id)
{
    if (OPTIONS[id].argument == OPTIONAL && !word_source_has_value(parser->words))
        return keyword_default(id);
    return word_source_value(parser->words);
}

static bool parse_option(struct parser *parser, const char *word)
{
    struct option_word option = find_option(word);
    if (option.id == OPTION_COUNT)
        return FATAL(parser, "Unknown option '%.*s'", (int)strcspn(word + 1, "="), word + 1);
    parser->line->options[option.id].given = true;
    if (OPTIONS[option.id].argument == FLAG)
        return parse_flag(parser, option.id, word, option.value);
    const char *value = option.value ? option.value : next_value(parser, option.id);
    if (!value)
        return FATAL(parser, "argument expected after '%s'", word);
    if (option.id == OPTION_OPTIONS_FILE)
        return open_files(parser, value);
    remember_word(parser, option.id, value);
    return store_value(parser, option.id, value);
}

static bool parse_word(struct parser *parser, const char *word)
{
    struct command_line *line = parser->line;
    bool names_file = word[0] == '@' && word_source_can_open(word + 1);
    if (names_file && !word_source_can_open(word)) /* nvlink has inputs of such names only */
        return open_file(parser, word + 1);
    if (word[0] == '-' && word[1])
        return parse_option(parser, word);
    remember_word(parser, OPTION_COUNT, word);
    *ARENA_APPEND(line->arena, line, inputs) = word;
    return true;
}

/* --------------------------------------------------------------------------------------------- */
/* Options that exclude one another                                                              */

struct conflict {
    enum option_id option;
    enum option_id other;
    bool needs_other; /* else the two exclude one another */
    const char *text;
};

/* In the order in which nvlink complains; those about constants are our own. */
static const struct conflict CONFLICTS[] = {
    {OPTION_NO_DEBUG_INFO, OPTION_DEBUG, true, "'-suppress-debug-info' and 'no -g'"},
    {OPTION_DUMP_CALLGRAPH, OPTION_DUMP_CALLGRAPH_MANGLED, false,
     "'-dump-callgraph' and '-dump-callgraph-no-demangle'"},
    {OPTION_USE_HOST_INFO, OPTION_IGNORE_HOST_INFO, false,
     "'-use-host-info' and '-ignore-host-info'"},
    {OPTION_MERGE_CONSTANTS, OPTION_RELOCATABLE, false,
     "'-merge-constants' and '-relocatable-link'"},
    {OPTION_REMOVE_UNUSED_CONSTANTS, OPTION_RELOCATABLE, false,
     "'-remove-unused-constants' and '-relocatable-link'"},
};
static const struct conflict OPTIMISATION_CONFLICTS[] = {
    {OPTION_PARTIAL_LTO, OPTION_DLTO, true, "'-force-partial-lto' and 'no -dlto'"},
    {OPTION_WHOLE_LTO, OPTION_DLTO, true, "'-force-whole-lto' and 'no -dlto'"},
    {OPTION_EMIT_PTX, OPTION_DLTO, true, "'-emit-ptx' and 'no -dlto'"},
    {OPTION_FAST_COMPILE, OPTION_DLTO, true, "'--Ofast-compile' and 'no -dlto'"},
};

static const char *find_conflict(const struct command_line *line, const struct conflict *conflicts,
                                 size_t count)
{
    const struct option_value *options = line->options;
    for (size_t i = 0; i < count; i++) {
        const struct conflict *conflict = &conflicts[i];
        bool other = options[conflict->other].given ||
                     (conflict->other == OPTION_DLTO && options[OPTION_LTO].given);
        if (options[conflict->option].given && other != conflict->needs_other)
            return arena_format(line->arena, "Conflicting options %s", conflict->text);
    }
    return NULL;
}

const char *command_line_conflict(const struct command_line *line)
{
    return find_conflict(line, CONFLICTS, sizeof CONFLICTS / sizeof *CONFLICTS);
}

const char *command_line_optimisation_conflict(const struct command_line *line)
{
    return find_conflict(line, OPTIMISATION_CONFLICTS,
                         sizeof OPTIMISATION_CONFLICTS / sizeof *OPTIMISATION_CONFLICTS);
}

static void take_files(struct command_line *line, const struct word_source *words)
{
    line->files = words->files;
    line->files_count = words->files_count;
}

bool command_line_parse(struct command_line *line, struct arena *arena, int argc, char **argv,
                        option_problem_handler *handler, void *context)
{
    *line = (struct command_line){.arena = arena};
    struct word_source words;
    word_source_init(&words, arena, argc, argv);
    struct parser parser = {line, &words, handler, context};
    const char *word;
    bool good = true;
    while (good && (word = word_source_next(&words)))
        good = parse_word(&parser, word);
    take_files(line, &words);
    return good;
}

const char *command_line_take_folders(struct command_line *line, const char *library_path)
{
    const struct option_value *given = &line->options[OPTION_LIBRARY_PATH];
    struct list_value found = {.items = NULL};
    const char *problem = folder_list_read(&found, line->arena, library_path);
    for (size_t i = 0; i < given->items_count; i++)
        *ARENA_APPEND(line->arena, line, folders) = given->items[i];
    for (size_t i = 0; i < found.items_count; i++)
        *ARENA_APPEND(line->arena, line, folders) = found.items[i];
    return problem;
}

const char *option_long_name(enum option_id id)
{
    return OPTIONS[id].long_name;
}

const char *command_line_not_yet(const struct command_line *line)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (line->options[id].given && OPTIONS[id].effect == LATER)
            return OPTIONS[id].long_name;
    return NULL;
}

void options_print_help(FILE *stream, const char *program)
{
    static const char *const EFFECTS[] = {
        [ACTS] = "",
        [NONE] = " [no effect]",
        [LTO] = " [no effect without link-time optimisation]",
        [LATER] = " [not supported yet]",
    };
    fprintf(
        stream,
        "Usage: %s -arch ARCH -o FILE [options] INPUT...\n\n"
        "Links relocatable CUDA device code (cubins, fat binaries, host objects, archives, PTX) "
        "into one\nexecutable cubin. Link-time optimisation is not supported yet.\n\n",
        program);
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option *option = &OPTIONS[id];
        fprintf(stream, "  --%s%s%s%s%s\n        %s%s\n", option->long_name,
                *option->short_name ? ", -" : "", option->short_name, *option->value ? " " : "",
                option->value, option->help, EFFECTS[option->effect]);
    }
}
