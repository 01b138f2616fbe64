/* The script for the host's linker; see host_script.h.
 *
 * lcs-aug is for a linker that adds such a script to its own. lcs-abs is that of the host's ld with
 * this behind it: ld is asked with the options that the host's compiler would give it, and when
 * options for ld are named, with these only. Observed with nvlink 13.0.88 and programs in the place
 * of gcc and ld that record how they are called; nvlink runs them in a shell, and joins the words
 * of several -Xlinker to one. */
#include "cli/host_script.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "cli/compile/process.h"

static const char SECTIONS[] = "SECTIONS\n"
                               "{\n"
                               "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
                               "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
                               "\t.nv_fatbin : { *(.nv_fatbin) }\n"
                               "}\n";

static const char FAILED[] = "Host linker script creation failed.";

struct words {
    GROWING_ARRAY(const char *, items);
};

static void add_word(struct arena *arena, struct words *words, const char *word)
{
    *ARENA_APPEND(arena, words, items) = word;
}

static void add_words_of(struct arena *arena, struct words *words, const char *text)
{
    while (*(text += strspn(text, " \t"))) {
        size_t size = strcspn(text, " \t");
        add_word(arena, words, arena_copy_string(arena, text, size));
        text += size;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* What the host's compiler would tell the linker                                                */

/* Of its options those that choose the linker's script. */
static void add_choice(struct arena *arena, struct words *words, const struct words *command)
{
    for (size_t i = 0; i < command->items_count; i++) {
        const char *word = command->items[i];
        bool takes_value = !strcmp(word, "-m") || !strcmp(word, "-z");
        bool alone = !strcmp(word, "-pie") || !strcmp(word, "-shared") || !strcmp(word, "-r");
        if (takes_value && i + 1 < command->items_count) {
            add_word(arena, words, word);
            add_word(arena, words, command->items[++i]);
        } else if (alone) {
            add_word(arena, words, word);
        }
    }
}

/* The compiler shows its command for the linker without running it, among other lines. */
static void ask_compiler(const struct command_line *line, struct words *words)
{
    struct arena *arena = line->arena;
    const char *chosen = command_line_text(line, OPTION_HOST_CCBIN);
    bool shared = command_line_given(line, OPTION_SHARED);
    const char *question[] = {chosen ? chosen : "gcc",   "-###", "/dev/null", "-m64",
                              shared ? "-shared" : NULL, NULL};
    struct process_plan plan = {.words = question};
    const char *text = process_read(arena, &plan, PROCESS_MESSAGES);
    while (text && *text) {
        size_t size = strcspn(text, "\n");
        const char *shown = arena_copy_string(arena, text, size);
        struct words command = {.items = NULL};
        if (strstr(shown, "collect2")) {
            add_words_of(arena, &command, shown);
            add_choice(arena, words, &command);
        }
        text += size + (text[size] == '\n');
    }
}

static struct words options_for_linker(const struct command_line *line)
{
    struct words words = {.items = NULL};
    const struct option_value *named = &line->options[OPTION_HOST_LINKER_OPTIONS];
    add_word(line->arena, &words, "ld");
    add_word(line->arena, &words, "--verbose");
    for (size_t i = 0; i < named->items_count; i++)
        add_words_of(line->arena, &words, named->items[i]);
    if (!named->items_count)
        ask_compiler(line, &words);
    add_word(line->arena, &words, NULL);
    return words;
}

/* --------------------------------------------------------------------------------------------- */
/* The linker's script                                                                           */

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? end + 1 : NULL;
}

/* What stands between two lines of equals signs; NULL where there are none. */
static const char *script_in(struct arena *arena, const char *text)
{
    static const char RULE[] = "=====";
    while (text && strncmp(text, RULE, strlen(RULE)) != 0)
        text = next_line(text);
    const char *start = text ? next_line(text) : NULL;
    for (text = start; text && strncmp(text, RULE, strlen(RULE)) != 0;)
        text = next_line(text);
    return text ? arena_copy_string(arena, start, (size_t)(text - start)) : NULL;
}

static const char *script_of_linker(const struct command_line *line)
{
    struct words words = options_for_linker(line);
    struct process_plan plan = {.words = words.items};
    const char *text = process_read(line->arena, &plan, PROCESS_OUTPUT);
    return text ? script_in(line->arena, text) : NULL;
}

const char *host_script_write(const struct command_line *line)
{
    const char *path = command_line_text(line, OPTION_OUTPUT);
    const char *kind = command_line_text(line, OPTION_HOST_LINKER_SCRIPT);
    const char *script = SECTIONS;
    if (line->inputs_count)
        return "Input files are not allowed with -ghls option; use --help for more information";
    if (!strcmp(kind, "lcs-abs")) {
        const char *first = script_of_linker(line);
        if (!first)
            return FAILED;
        script = arena_format(line->arena, "%s%s", first, SECTIONS);
    }
    if (!path) {
        fputs(script, stdout);
        return NULL;
    }
    struct bytes bytes = {(const uint8_t *)script, strlen(script)};
    return file_replace(path, bytes)
               ? arena_format(line->arena, "Could not open output file '%s'", path)
               : NULL;
}
