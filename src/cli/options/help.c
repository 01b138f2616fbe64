/* Prints the help; see help.h. The groups are in help.def. */
#include "cli/options/help.h"

#include <stdbool.h>

#include "cli/options/options.h"

enum effect { ACTS, NONE, LTO };

/* The rows contain the texts themselves, because pointers to texts would have to be relocated at
 * each start of the program. */
static const struct help {
    char long_name[48];
    char short_name[48];
    char value[16];
    char text[320];
    unsigned char effect;
} HELP[OPTION_COUNT] = {
#define OPTION(id, long_name, short_name, argument, value, effect, help)                           \
    {long_name, short_name, value, help, effect},
#include "cli/options/options.def"
#undef OPTION
};

/* A line of the help: the title of a group or, if `title` is empty, an option. */
static const struct help_line {
    char title[28];
    unsigned char id;
} LINES[] = {
#define HELP_GROUP(title) {title, 0},
#define HELP_ROW(id)      {"", OPTION_##id},
#define HELP_MORE
#include "cli/options/help.def"
#undef HELP_GROUP
#undef HELP_ROW
#undef HELP_MORE
};

enum {
    LINE_COUNT = sizeof LINES / sizeof *LINES,
#define HELP_GROUP(title) +1
#define HELP_ROW(id)      +1
#define HELP_MORE         , REST_COUNT = 0
    FIRST_COUNT = 0
#include "cli/options/help.def"
#undef HELP_GROUP
#undef HELP_ROW
#undef HELP_MORE
};

static void print_usage(FILE *stream, const char *program)
{
    fprintf(
        stream,
        "Usage: %s -arch ARCH -o FILE [options] INPUT...\n\n"
        "Links relocatable CUDA device code (cubins, fat binaries, host objects, archives, PTX) "
        "into one\nexecutable cubin, and optimises LTO-IR with NVIDIA's libraries.\n",
        program);
}

static void print_option(FILE *stream, const struct help *help)
{
    static const char EFFECTS[][48] = {
        [ACTS] = "",
        [NONE] = " [no effect]",
        [LTO] = " [no effect without link-time optimisation]",
    };
    fprintf(stream, "  --%s%s%s%s%s\n        %s%s\n", help->long_name,
            *help->short_name ? ", -" : "", help->short_name, *help->value ? " " : "", help->value,
            help->text, EFFECTS[help->effect]);
}

static void print_lines(FILE *stream, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (*LINES[i].title)
            fprintf(stream, "\n%s:\n", LINES[i].title);
        else
            print_option(stream, &HELP[LINES[i].id]);
    }
}

static void print_options_without_effect(FILE *stream)
{
    fputs("\nWithout effect:\n", stream);
    for (int id = 0; id < OPTION_COUNT; id++)
        if (HELP[id].effect != ACTS)
            print_option(stream, &HELP[id]);
}

void help_print_list(FILE *stream, const char *program)
{
    print_usage(stream, program);
    fputc('\n', stream);
    for (int id = 0; id < OPTION_COUNT; id++)
        print_option(stream, &HELP[id]);
}

void help_print_first(FILE *stream, const char *program)
{
    print_usage(stream, program);
    print_lines(stream, FIRST_COUNT);
    fprintf(stream, "\n'%s --help=all' prints all options; 'man warpld' has examples.\n", program);
}

void help_print_groups(FILE *stream, const char *program)
{
    print_usage(stream, program);
    print_lines(stream, LINE_COUNT);
    print_options_without_effect(stream);
}
