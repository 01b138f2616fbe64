/* Swaps each pair of neighbours in the list of passes, and links with the changed list.
 *
 * There are two valid outcomes. One is that the pass that now runs first asserts that it needs a
 * result of the other pass. The other outcome is that output and messages do not change; then the
 * pair must be listed in src/link/commuting_passes.def.
 *
 * The test links each of the golden links below, with and without -r, each in a separate process.
 * Arguments name other golden links to use instead. Run from the repository's root. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/options/library_options.h"
#include "cli/options/options.h"
#include "link/input/read_inputs.h"
#include "link/link.h"
#include "warpld.h"

static const struct {
    const char *first, *second, *reason;
} COMMUTING[] = {
#define COMMUTING_PASSES(first, second, reason) {"pass_" #first, "pass_" #second, reason},
#include "link/commuting_passes.def"
#undef COMMUTING_PASSES
};
enum { COMMUTING_COUNT = sizeof COMMUTING / sizeof *COMMUTING };

/* A golden link. `words` has arguments to append to those of the link; NULL: none. */
struct tried_link {
    const char *name, *words;
};

static const struct tried_link CHOSEN[] = {
    {"callgraph-of-all-kinds", "-v -extrawarn"},
    {"common-with-definition", NULL},
    {"compiler-constants-deduplicated", "--merge-constants"},
    {"debug-names-unused-shared", NULL},
    {"extern-shared-two-addresses", "-v"},
    {"kernels-used-by-pattern", "--remove-unused-constants"},
    {"large-parameters-of-old-objects-behind-undefined", NULL},
    {"mercury-data-and-calls-sm120", "-v"},
    {"mercury-jump-tables-sm100", NULL},
    {"mercury-texture-slots-sm100", NULL},
    {"multiple-definition-of-every-kind", NULL},
    {"reserved-shared-not-allowed", "-v"},
    {"resolved-relocations", NULL},
    {"shared-all-rules-together", "-v"},
    {"size-of-constants", "--remove-unused-constants --merge-constants -v"},
    {"stack-limit-and-recursion", "-extrawarn"},
    {"texture-and-sampler-slots", "-v"},
    {"too-many-surfaces", "-extrawarn"},
    {"too-much-constant-data", NULL},
    {"too-much-shared-memory", NULL},
    {"undefined-reference", NULL},
    {"unified-function-undefined", NULL},
    {"unified-index-empty", NULL},
    {"unified-tables-verbose", NULL},
};

enum { CHOSEN_COUNT = sizeof CHOSEN / sizeof *CHOSEN };
enum { MOST_PASSES = 64, MOST_WORDS = 64 };

/* --------------------------------------------------------------------------------------------- */
/* One link in a separate process                                                                */

/* The result of a link. */
struct outcome {
    char *bytes; /* what the child wrote to `stream` */
    size_t size;
    bool asserts;
    unsigned long long passes; /* bit i: the pass with the index i in link_passes() ran */
};

/* Used only in the child process, which runs the link. The child writes the messages in their
 * order, the status, the linked objects and the output to `stream`. */
static FILE *stream;
static unsigned long long passes_run;

static void tell_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    (void)context;
    fprintf(stream, "%d %s: %s\n", (int)diagnostic->severity, diagnostic->code, diagnostic->text);
}

static void tell_graph(void *context, const struct warpld_call_graph *graph)
{
    (void)context;
    for (size_t i = 0; i < graph->functions_count; i++)
        fprintf(stream, "calls of %s, %u registers\n", graph->functions[i].name,
                (unsigned)graph->functions[i].register_count);
}

static void tell_raised(void *context, const struct warpld_raised_registers *raised)
{
    (void)context;
    fprintf(stream, "registers of %s raised\n", raised->kernel);
}

static void note_pass(void *context, const char *name)
{
    size_t count;
    const struct pass *passes = link_passes(&count);
    (void)context;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name_of_pass(&passes[i]), name))
            passes_run |= 1ULL << i;
}

static void refuse_option(void *context, const struct option_problem *problem)
{
    (void)context;
    if (problem->fatal)
        fprintf(stream, "option: %s\n", problem->text);
}

static int split(char *text, char **words, int count)
{
    char *rest;
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (count == MOST_WORDS)
            abort();
        words[count++] = word;
    }
    return count;
}

/* Reads the arguments of the golden link from the file "link" in the current folder, and appends
 * those in `more`. Returns the number of arguments. */
static int read_words(struct arena *arena, const char *more, char **words)
{
    struct mapped_file file;
    int count = 0;
    words[count++] = (char *)"nvlink";
    if (file_map(&file, "link"))
        abort();
    const char *text = (const char *)file.bytes.data;
    count = split(arena_copy_string(arena, text, file.bytes.size), words, count);
    file_unmap(&file);
    return more ? split(arena_copy_string(arena, more, strlen(more)), words, count) : count;
}

static struct bytes map_named(const struct command_line *line, enum option_id option)
{
    const char *path = command_line_text(line, option);
    struct mapped_file file = {.bytes = {NULL, 0}};
    return path && !file_map(&file, path) ? file.bytes : (struct bytes){NULL, 0};
}

static struct warpld_options options_of(const struct command_line *line, bool relocatable)
{
    struct warpld_options options = library_options(line);
    struct bytes host = map_named(line, OPTION_NV_HOST);
    struct bytes index = map_named(line, OPTION_UNIFIED_INDEX);
    options.diagnostic = tell_message;
    options.host_data = host.data;
    options.host_size = (size_t)host.size;
    options.unified_index = index.data;
    options.unified_index_size = (size_t)index.size;
    options.pass_begins = note_pass;
    options.call_graph = tell_graph;
    options.raised_registers = tell_raised;
    options.as_nvlink = true;
    options.allow_empty = true;
    options.threads = 1;
    options.relocatable |= relocatable;
    options.merge_constants &= !options.relocatable; /* exclude each other */
    options.remove_unused_constants &= !options.relocatable;
    return options;
}

static void run_list(const struct command_line *line, bool relocatable, const struct pass *passes,
                     size_t count)
{
    struct warpld_options options = options_of(line, relocatable);
    struct warpld_link *link;
    const void *output;
    size_t size;
    if (warpld_create(&options, &link) != WARPLD_OK)
        abort();
    for (size_t i = 0; i < line->inputs_count; i++)
        warpld_add_file(link, line->inputs[i]);
    read_inputs(link);
    fprintf(stream, "status %d\n", (int)link_run_with(link, passes, count));
    struct warpld_linked_object object = {.size = sizeof object};
    for (size_t i = 0; warpld_get_linked_object(link, i, &object) == WARPLD_OK; i++)
        fprintf(stream, "linked %s\n", object.name);
    if (warpld_output(link, &output, &size) == WARPLD_OK)
        fwrite(output, 1, size, stream);
    warpld_destroy(link);
}

/* Ends the process without SIGABRT, so that a lack of memory does not look like a failed
 * assertion. */
static void give_up(void *owner)
{
    (void)owner;
    _exit(1);
}

/* Runs a link and ends the process. Writes to the pipe what struct outcome holds: the bytes, then
 * the bits of the passes that ran. */
static void run_in_child(const struct tried_link *tried, bool relocatable,
                         const struct pass *passes, size_t count, int pipe)
{
    struct rlimit no_core = {0, 0};
    struct command_line line;
    struct arena arena;
    char *words[MOST_WORDS], folder[256];
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(pipe, STDERR_FILENO);
    static const int SIGNALS[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
        signal(SIGNALS[i], SIG_DFL); /* not cmocka's handlers: this process runs no test */
    stream = fdopen(pipe, "wb");
    arena_init(&arena, give_up, NULL);
    snprintf(folder, sizeof folder, "tests/golden/%s", tried->name);
    if (chdir(folder))
        _exit(1);
    int word_count = read_words(&arena, tried->words, words);
    if (!command_line_parse(&line, &arena, word_count, words, refuse_option, NULL))
        _exit(1);
    run_list(&line, relocatable, passes, count);
    fwrite(&passes_run, sizeof passes_run, 1, stream);
    fclose(stream);
    arena_destroy(&arena);
    _exit(0);
}

static void read_all(int pipe, struct outcome *outcome)
{
    enum { STEP = 1 << 16 };
    ssize_t size;
    do {
        outcome->bytes = realloc(outcome->bytes, outcome->size + STEP + 1);
        assert_non_null(outcome->bytes);
        size = read(pipe, outcome->bytes + outcome->size, STEP);
        outcome->size += size > 0 ? (size_t)size : 0;
    } while (size > 0);
    outcome->bytes[outcome->size] = '\0'; /* for the strstr of ended_in_assertion */
}

/* Whether the child ended because the assertion about `needs` failed. The test fails if the child
 * ended with another signal or with a nonzero status. */
static bool ended_in_assertion(const struct outcome *outcome, int status)
{
    static const char NEEDS[] = "(done & pass->needs) == pass->needs";
    bool asserts =
        WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(outcome->bytes, NEEDS);
    if (!asserts && (!WIFEXITED(status) || WEXITSTATUS(status)))
        fail_msg("status %d: %.*s", status, (int)outcome->size, outcome->bytes);
    return asserts;
}

static struct outcome run_link(const struct tried_link *tried, bool relocatable,
                               const struct pass *passes, size_t count)
{
    struct outcome outcome = {.bytes = NULL};
    int ends[2], status;
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        close(ends[0]);
        run_in_child(tried, relocatable, passes, count, ends[1]);
    }
    close(ends[1]);
    read_all(ends[0], &outcome);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    outcome.asserts = ended_in_assertion(&outcome, status);
    if (!outcome.asserts) {
        assert_true(outcome.size > sizeof outcome.passes);
        outcome.size -= sizeof outcome.passes;
        memcpy(&outcome.passes, outcome.bytes + outcome.size, sizeof outcome.passes);
    }
    return outcome;
}

/* --------------------------------------------------------------------------------------------- */
/* The pairs                                                                                     */

/* The results of swapping one pair of passes, counted over all links. */
struct verdict {
    size_t asserts;  /* links in which a pass asserted */
    size_t both_ran; /* links in which both passes ran, and their order changed nothing */
};

static const char *reason_to_commute(const struct pass *pair)
{
    for (size_t i = 0; i < COMMUTING_COUNT; i++)
        if (!strcmp(COMMUTING[i].first, pair[0].function) &&
            !strcmp(COMMUTING[i].second, pair[1].function))
            return COMMUTING[i].reason;
    return NULL;
}

static void swap(struct pass *list, size_t at)
{
    struct pass first = list[at];
    list[at] = list[at + 1];
    list[at + 1] = first;
}

static void try_pair(size_t at, const struct tried_link *tried, bool relocatable,
                     const struct outcome *usual, struct verdict *verdict)
{
    size_t count;
    const struct pass *passes = link_passes(&count);
    struct pass list[MOST_PASSES];
    assert_true(count <= MOST_PASSES);
    memcpy(list, passes, count * sizeof *list);
    swap(list, at);
    struct outcome swapped = run_link(tried, relocatable, list, count);
    if (swapped.asserts) {
        verdict->asserts++;
    } else if (swapped.size != usual->size || memcmp(swapped.bytes, usual->bytes, usual->size)) {
        fail_msg("%s%s: %s before %s changes the result", tried->name, relocatable ? " -r" : "",
                 passes[at + 1].function, passes[at].function);
    } else {
        verdict->both_ran += (usual->passes >> at & 3) == 3;
    }
    free(swapped.bytes);
}

static void judge(const struct pass *pair, const struct verdict *verdict)
{
    const char *reason = reason_to_commute(pair);
    bool exclude = !((pair[0].when | pair[1].when) & ~(FOR_FINAL | FOR_RELOCATABLE)) &&
                   pair[0].when != pair[1].when;
    if (reason && verdict->asserts)
        fail_msg("%s needs %s, but commuting_passes.def has them", pair[1].function,
                 pair[0].function);
    if (!reason && !verdict->asserts)
        fail_msg("%s does not need %s: the reason belongs in commuting_passes.def",
                 pair[1].function, pair[0].function);
    if (reason && !exclude && !verdict->both_ran)
        fail_msg("no link runs %s and %s", pair[0].function, pair[1].function);
}

struct tried_links {
    const struct tried_link *all;
    size_t count;
};

static void neighbours_need_each_other_or_commute(void **state)
{
    size_t count;
    const struct pass *passes = link_passes(&count);
    const struct tried_links *links = *state;
    struct verdict verdicts[MOST_PASSES] = {{0, 0}};
    for (size_t i = 0; i < 2 * links->count; i++) {
        const struct tried_link *tried = &links->all[i / 2];
        struct outcome usual = run_link(tried, i % 2, passes, count);
        assert_false(usual.asserts);
        for (size_t at = 0; at + 1 < count; at++)
            try_pair(at, tried, i % 2, &usual, &verdicts[at]);
        free(usual.bytes);
    }
    for (size_t at = 0; at + 1 < count; at++)
        judge(&passes[at], &verdicts[at]);
}

static void commuting_pairs_are_neighbours(void **state)
{
    (void)state;
    size_t count, found = 0;
    const struct pass *passes = link_passes(&count);
    for (size_t at = 0; at + 1 < count; at++)
        found += reason_to_commute(&passes[at]) != NULL;
    assert_int_equal(found, COMMUTING_COUNT);
}

int main(int argc, char **argv)
{
    struct tried_links links = {CHOSEN, CHOSEN_COUNT};
    struct tried_link *named = calloc((size_t)argc, sizeof *named);
    for (int i = 1; i < argc && named; i++)
        named[i - 1].name = argv[i];
    if (argc > 1 && named)
        links = (struct tried_links){named, (size_t)argc - 1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(neighbours_need_each_other_or_commute, &links),
        cmocka_unit_test(commuting_pairs_are_neighbours),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(named);
    return failed;
}
