/* What users of the library receive through their callback that the command does not show, or shows
 * by other means. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "warpld.h"

enum { MOST = 16 };

struct seen {
    size_t count;
    enum warpld_severity severities[MOST];
    char codes[MOST][32];
};

static void take(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct seen *seen = context;
    print_message("%s: %s\n", diagnostic->code, diagnostic->text); /* tests/diagnostics reads it */
    if (seen->count == MOST)
        return;
    seen->severities[seen->count] = diagnostic->severity;
    strncpy(seen->codes[seen->count++], diagnostic->code, sizeof *seen->codes - 1);
}

static struct warpld_link *create(const char *architecture, struct seen *seen)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = architecture;
    options.diagnostic = take;
    options.diagnostic_context = seen;
    struct warpld_link *link = warpld_create(&options);
    assert_non_null(link);
    return link;
}

static void notes_follow_their_message(void **state)
{
    (void)state;
    static const char *const CODES[] = {"undefined-reference", "readable-name", "referred-by",
                                        "referred-by",         "referred-by",   "referred-more",
                                        "library-missing"};
    struct seen seen = {0};
    struct warpld_link *link = create("sm_80", &seen);
    const char *path = "tests/notes/data/calls_missing.sm_80.cubin";
    assert_int_equal(warpld_add_library(link, "nowhere"), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_LINK);
    warpld_destroy(link);
    assert_int_equal(seen.count, sizeof CODES / sizeof *CODES);
    for (size_t i = 0; i < seen.count; i++) {
        assert_string_equal(seen.codes[i], CODES[i]);
        assert_int_equal(seen.severities[i], i ? WARPLD_NOTE : WARPLD_ERROR);
    }
}

static void assert_fatal(const struct seen *seen, const char *code)
{
    assert_int_equal(seen->count, 1);
    assert_string_equal(seen->codes[0], code);
    assert_int_equal(seen->severities[0], WARPLD_FATAL);
}

/* The command looks at the name before it calls. */
static void architectures_that_nobody_knows(void **state)
{
    (void)state;
    static const char *const NAMES[] = {NULL, "", "sm_81", "compute_81"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct seen seen = {0};
        struct warpld_link *link = create(NAMES[i], &seen);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
        warpld_destroy(link);
        assert_fatal(&seen, "unknown-architecture");
    }
}

static const char TEXT[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry kernel () { ret; }\n";

/* The command always has a compiler. */
static void ptx_without_a_compiler(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = create("sm_80", &seen);
    assert_int_equal(warpld_add_memory(link, "a.ptx", TEXT, sizeof TEXT - 1), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    warpld_destroy(link);
    assert_fatal(&seen, "no-compiler");
}

static void refuse_text(void *context, const struct warpld_compile_request *requests,
                        struct warpld_compile_result *results, size_t count)
{
    (void)context;
    (void)requests;
    for (size_t i = 0; i < count; i++)
        results[i].problem = "the compiler takes no text for sm_80";
}

/* That of the command prints itself what is wrong. */
static void a_compiler_that_says_why_it_refuses(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = take;
    options.diagnostic_context = &seen;
    options.compile = refuse_text;
    struct warpld_link *link = warpld_create(&options);
    assert_non_null(link);
    assert_int_equal(warpld_add_memory(link, "a.ptx", TEXT, sizeof TEXT - 1), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    warpld_destroy(link);
    assert_fatal(&seen, "compile-refused");
}

struct traced {
    unsigned categories;
    char first[64];
};

static void take_line(void *context, const struct warpld_trace_line *line)
{
    struct traced *traced = context;
    assert_true(line->size >= sizeof *line);
    if (!traced->categories)
        strncpy(traced->first, line->text, sizeof traced->first - 1);
    traced->categories |= line->category;
}

static void link_traced(struct warpld_options *options, struct traced *traced)
{
    options->architecture = "sm_90";
    options->trace_line = take_line;
    options->trace_context = traced;
    struct warpld_link *link = warpld_create(options);
    assert_non_null(link);
    const char *path = "tests/golden/common-with-definition/%c.cubin";
    for (int letter = 'a'; letter <= 'b'; letter++) {
        char name[64];
        snprintf(name, sizeof name, path, letter);
        assert_int_equal(warpld_add_file(link, name), WARPLD_OK);
    }
    assert_int_equal(warpld_run(link), WARPLD_OK);
    warpld_destroy(link);
}

static void lines_of_the_trace(void **state)
{
    (void)state;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct traced traced = {0};
    options.trace = WARPLD_TRACE_MERGE;
    link_traced(&options, &traced);
    assert_int_equal(traced.categories, WARPLD_TRACE_MERGE);
    assert_string_equal(traced.first, "global.init replaces common for table");
    options.trace = WARPLD_TRACE_ALL;
    link_traced(&options, &traced);
    assert_int_equal(traced.categories,
                     WARPLD_TRACE_MERGE | WARPLD_TRACE_LAYOUT | WARPLD_TRACE_INFO);
}

static void options_that_exclude_each_other(void **state)
{
    (void)state;
    for (int bits = 0; bits < 8; bits++) {
        struct warpld_options options = WARPLD_OPTIONS_INIT;
        options.architecture = "sm_80";
        options.relocatable = bits & 1;
        options.merge_constants = bits & 2;
        options.remove_unused_constants = bits & 4;
        struct warpld_link *link = warpld_create(&options);
        assert_int_equal(warpld_add_file(link, "tests/notes/data/address_taken.sm_80.cubin"),
                         WARPLD_OK);
        bool agree = !(bits & 1) || bits == 1;
        assert_int_equal(warpld_run(link), agree ? WARPLD_OK : WARPLD_ERROR_ARGUMENT);
        warpld_destroy(link);
    }
}

/* A caller that was built before there was a trace. */
static void options_of_an_older_header(void **state)
{
    (void)state;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct traced traced = {0};
    options.size = offsetof(struct warpld_options, trace);
    options.trace = WARPLD_TRACE_ALL;
    link_traced(&options, &traced);
    assert_int_equal(traced.categories, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_follow_their_message),
        cmocka_unit_test(architectures_that_nobody_knows),
        cmocka_unit_test(ptx_without_a_compiler),
        cmocka_unit_test(a_compiler_that_says_why_it_refuses),
        cmocka_unit_test(lines_of_the_trace),
        cmocka_unit_test(options_of_an_older_header),
        cmocka_unit_test(options_that_exclude_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
