/* Results and messages of the library that the command warpld never shows, or shows in another
 * form. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "seen_messages.h"
#include "warpld.h"

static void notes_follow_their_message(void **state)
{
    (void)state;
    static const char *const CODES[] = {"undefined-reference", "readable-name",  "referred-by",
                                        "referred-by",         "referred-by",    "referred-more",
                                        "defined-nowhere",     "library-missing"};
    struct seen seen = {0};
    struct warpld_link *link = seen_create_link("sm_80", &seen);
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

/* The command rejects unknown architectures before it calls the library, so no test of the command
 * reaches the library's check. */
static void architectures_that_nobody_knows(void **state)
{
    (void)state;
    static const char *const NAMES[] = {NULL, "", "sm_81", "compute_81"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct seen seen = {0};
        struct warpld_link *link = seen_create_link(NAMES[i], &seen);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
        warpld_destroy(link);
        seen_assert_fatal(&seen, NAMES[i] ? "unknown-architecture" : "no-target");
    }
}

static void targets_of_the_inputs_without_a_target(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = seen_create_link(NULL, &seen);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    warpld_destroy(link);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.codes[0], "no-target");
    assert_string_equal(seen.codes[1], "input-targets");
}

/* warpld links for targets that only CUDA 12 has, such as sm_61. As nvlink it refuses them, because
 * nvlink 13.0.88 does not know them. */
static void targets_of_cuda_12(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned abi;
    } CASES[] = {{"sm_50", 7}, {"sm_72", 7}, {"sm_75", 8},     {"sm_121a", 8},
                 {"sm_71", 0}, {NULL, 0},    {"compute_75", 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(warpld_output_abi(CASES[i].name), CASES[i].abi);
    for (int as_nvlink = 0; as_nvlink < 2; as_nvlink++) {
        struct seen seen = {0};
        struct warpld_link *link = seen_create_link("sm_61", &seen);
        assert_int_equal(warpld_set_option(link, "as", as_nvlink ? "nvlink" : "warpld"), WARPLD_OK);
        assert_int_equal(warpld_run(link), as_nvlink ? WARPLD_ERROR_FATAL : WARPLD_OK);
        warpld_destroy(link);
        if (as_nvlink)
            seen_assert_fatal(&seen, "unknown-architecture");
    }
}

static const char TEXT[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry kernel () { ret; }\n";

/* A link without a compile callback refuses PTX. The command always sets this callback. */
static void ptx_without_a_compiler(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_add_memory(link, "a.ptx", TEXT, sizeof TEXT - 1), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    warpld_destroy(link);
    seen_assert_fatal(&seen, "no-compiler");
}

static void refuse_text(void *context, const struct warpld_compile_request *requests,
                        struct warpld_compile_result *results, size_t count)
{
    (void)context;
    (void)requests;
    for (size_t i = 0; i < count; i++)
        results[i].problem = "the compiler takes no text for sm_80";
}

/* A compile callback that fails with a reason, which the library reports. The command's callback
 * prints its reason by itself. */
static void a_compiler_that_says_why_it_refuses(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = seen_take;
    options.diagnostic_context = &seen;
    options.compile = refuse_text;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_add_memory(link, "a.ptx", TEXT, sizeof TEXT - 1), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    warpld_destroy(link);
    seen_assert_fatal(&seen, "compile-refused");
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
    struct warpld_link *link;
    assert_int_equal(warpld_create(options, &link), WARPLD_OK);
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

/* Options that conflict with `relocatable`, and the messages about these conflicts. */
static const struct {
    size_t field; /* a bool of the options */
    const char *text;
} FINAL_LINK_ONLY[] = {
    {offsetof(struct warpld_options, merge_constants),
     "Options 'merge_constants' (--merge-constants) and 'relocatable' (--relocatable-link) "
     "cannot be combined; remove one of them"},
    {offsetof(struct warpld_options, remove_unused_constants),
     "Options 'remove_unused_constants' (--remove-unused-constants) and 'relocatable' "
     "(--relocatable-link) cannot be combined; remove one of them"},
};
enum { PAIRS = sizeof FINAL_LINK_ONLY / sizeof *FINAL_LINK_ONLY };

struct conflicts {
    unsigned count;
    char texts[PAIRS][192];
};

static void take_conflict(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct conflicts *conflicts = context;
    print_message("%s: %s\n", diagnostic->code, diagnostic->text); /* tests/diagnostics reads it */
    assert_string_equal(diagnostic->code, "options-conflict");
    assert_int_equal(diagnostic->severity, WARPLD_ERROR);
    assert_true(conflicts->count < PAIRS);
    strncpy(conflicts->texts[conflicts->count++], diagnostic->text, sizeof *conflicts->texts - 1);
}

/* Links with or without -r, and with the options whose bits are set in `pairs`. Each of these
 * options conflicts with -r; the library reports each conflict once. */
static void link_with_pairs(unsigned pairs, bool relocatable)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct conflicts conflicts = {0};
    struct warpld_link *link;
    options.architecture = "sm_80";
    options.diagnostic = take_conflict;
    options.diagnostic_context = &conflicts;
    options.relocatable = relocatable;
    for (unsigned i = 0; i < PAIRS; i++)
        *(bool *)((char *)&options + FINAL_LINK_ONLY[i].field) = pairs >> i & 1;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    bool agree = !relocatable || !pairs;
    assert_int_equal(warpld_run(link), agree ? WARPLD_OK : WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_ARGUMENT);
    warpld_destroy(link);
    unsigned reported = 0;
    for (unsigned i = 0; i < PAIRS && !agree; i++)
        if (pairs >> i & 1)
            assert_string_equal(conflicts.texts[reported++], FINAL_LINK_ONLY[i].text);
    assert_int_equal(conflicts.count, reported);
}

static void options_that_exclude_each_other(void **state)
{
    (void)state;
    for (unsigned pairs = 0; pairs < 1 << PAIRS; pairs++) {
        link_with_pairs(pairs, false);
        link_with_pairs(pairs, true);
    }
}

/* `size` is that of an older header, in which the structure does not yet have the field `trace`. */
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

static void nothing_to_create(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    struct warpld_link *link = (struct warpld_link *)&seen;
    assert_int_equal(warpld_create(NULL, &link), WARPLD_ERROR_ARGUMENT);
    assert_null(link);
    assert_int_equal(warpld_create(&options, NULL), WARPLD_ERROR_ARGUMENT);
}

/* Wrong names and wrong values only; tests/library tests the valid values of every option. */
static void options_by_wrong_names_and_values(void **state)
{
    (void)state;
    static const char *const WRONG[][3] = {{"no-such", "true", "named-option-unknown"},
                                           {"threads", "many", "named-option-value"}};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct seen seen = {0};
        struct warpld_link *link = seen_create_link("sm_80", &seen);
        assert_int_equal(warpld_set_option(link, WRONG[i][0], WRONG[i][1]), WARPLD_ERROR_ARGUMENT);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_ARGUMENT);
        warpld_destroy(link);
        seen_assert_fatal(&seen, WRONG[i][2]);
    }
}

static bool say_stop(void *context)
{
    (void)context;
    return true;
}

static void a_link_that_is_cancelled(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    options.poll = say_stop;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_CANCELLED);
    warpld_destroy(link);
    seen_assert_fatal(&seen, "cancelled");
}

static void release_nothing(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

static void memory_that_only_goes(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    options.release = release_nothing;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_ERROR_ARGUMENT);
    assert_null(link);
    seen_assert_fatal(&seen, "allocator-incomplete");
}

/* The library copies this list of names, for which it would need more bytes than an address space
 * has. */
static void memory_for_no_link(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"kernel"};
    struct seen seen = {0};
    struct warpld_options options = seen_options(&seen);
    struct warpld_link *link;
    options.kernels_used = NAMES;
    options.kernels_used_count = SIZE_MAX / 2;
    assert_int_equal(warpld_create(&options, &link), WARPLD_ERROR_MEMORY);
    assert_null(link);
    seen_assert_fatal(&seen, "out-of-memory");
}

/* Before warpld_run, a link already lists its files, but no objects. */
static void lists_end(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_linked_object object = {.size = sizeof object};
    struct warpld_read_file file = {.size = sizeof file};
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_get_read_file(link, 0, &file), WARPLD_END);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(warpld_get_linked_object(link, 0, &object), WARPLD_END);
    assert_int_equal(warpld_get_read_file(link, 0, &file), WARPLD_OK);
    assert_int_equal(warpld_get_read_file(link, 1, &file), WARPLD_END);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    assert_int_equal(warpld_get_linked_object(link, 0, &object), WARPLD_OK);
    assert_int_equal(warpld_get_linked_object(link, 1, &object), WARPLD_END);
    assert_string_equal(warpld_status_name(WARPLD_END), "end");
    warpld_destroy(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_follow_their_message),
        cmocka_unit_test(architectures_that_nobody_knows),
        cmocka_unit_test(targets_of_the_inputs_without_a_target),
        cmocka_unit_test(targets_of_cuda_12),
        cmocka_unit_test(ptx_without_a_compiler),
        cmocka_unit_test(a_compiler_that_says_why_it_refuses),
        cmocka_unit_test(lines_of_the_trace),
        cmocka_unit_test(options_of_an_older_header),
        cmocka_unit_test(options_that_exclude_each_other),
        cmocka_unit_test(nothing_to_create),
        cmocka_unit_test(options_by_wrong_names_and_values),
        cmocka_unit_test(a_link_that_is_cancelled),
        cmocka_unit_test(memory_that_only_goes),
        cmocka_unit_test(memory_for_no_link),
        cmocka_unit_test(lists_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
