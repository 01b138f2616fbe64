/* Inputs that the library cannot add to a link. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "seen_messages.h"
#include "warpld.h"

/* If an input cannot be added, the link must fail even if the caller ignores the error of the
 * call. */
static void assert_sticky(enum warpld_status (*add)(struct warpld_link *link))
{
    struct seen seen = {0};
    const void *output;
    size_t size;
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(add(link), WARPLD_ERROR_ARGUMENT);
    seen_assert_fatal(&seen, "null-argument");
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(seen.count, 1);
    warpld_destroy(link);
    assert_int_equal(add(NULL), WARPLD_ERROR_ARGUMENT);
}

static enum warpld_status add_memory_without_name(struct warpld_link *link)
{
    return warpld_add_memory(link, NULL, "x", 1);
}

static enum warpld_status add_memory_without_data(struct warpld_link *link)
{
    return warpld_add_memory(link, "x", NULL, 1);
}

static enum warpld_status add_file_without_path(struct warpld_link *link)
{
    return warpld_add_file(link, NULL);
}

static enum warpld_status add_library_without_name(struct warpld_link *link)
{
    return warpld_add_library(link, NULL);
}

static void null_pointers_are_sticky(void **state)
{
    (void)state;
    assert_sticky(add_memory_without_name);
    assert_sticky(add_memory_without_data);
    assert_sticky(add_file_without_path);
    assert_sticky(add_library_without_name);
}

/* warpld_add_file does not open the file. warpld_run opens it and reports that it cannot be
 * read. */
static void files_that_cannot_be_read(void **state)
{
    (void)state;
    static const char *const PATHS[] = {"tests/notes/data/none.cubin", "tests/notes/data", ""};
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        struct seen seen = {0};
        struct warpld_link *link = seen_create_link("sm_80", &seen);
        assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
        assert_int_equal(warpld_add_file(link, PATHS[i]), WARPLD_OK);
        assert_int_equal(seen.count, 0);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
        assert_string_equal(seen.codes[0], "input-unreadable");
        assert_int_equal(seen.severities[0], WARPLD_FATAL);
        warpld_destroy(link);
    }
}

/* A library that is not found is no error, because compilers also pass the names of host
 * libraries. */
static void a_library_that_is_nowhere(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(warpld_add_library(link, "nowhere"), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    assert_int_equal(seen.count, 0);
    warpld_destroy(link);
}

/* Makes a folder with two empty archives, libx.a and liby.a. With as_nvlink, both count as
 * libraries of another host processor. */
static void make_libraries(char *folder, char paths[2][64])
{
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/lib%c.a", folder, 'x' + i);
        FILE *file = fopen(paths[i], "wb");
        assert_non_null(file);
        assert_int_equal(fwrite("!<arch>\n", 1, 8, file), 8);
        assert_int_equal(fclose(file), 0);
    }
}

/* With warnings_are_errors, the warning about an ignored library is an error. The link continues
 * after the first such library, and ends at the second. */
static void libraries_that_are_passed_over(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpld-library-XXXXXX", paths[2][64];
    const char *folders[] = {folder};
    make_libraries(folder, paths);
    for (int second = 0; second < 2; second++) {
        struct seen seen = {0};
        struct warpld_options options = WARPLD_OPTIONS_INIT;
        struct warpld_link *link;
        options.architecture = "sm_80";
        options.diagnostic = seen_take;
        options.diagnostic_context = &seen;
        options.warnings_are_errors = true;
        options.as_nvlink = true; /* nvlink takes an empty archive for one of another host */
        options.library_paths = folders;
        options.library_paths_count = 1;
        assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
        assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
        assert_int_equal(warpld_add_library(link, "x"), WARPLD_OK);
        assert_string_equal(seen.codes[0], "library-incompatible");
        assert_int_equal(seen.severities[0], WARPLD_ERROR);
        if (second)
            assert_int_equal(warpld_add_library(link, "y"), WARPLD_ERROR_FATAL);
        assert_int_equal(warpld_run(link), second ? WARPLD_ERROR_FATAL : WARPLD_ERROR_LINK);
        assert_int_equal(seen.count, 1 + second); /* nvlink does not say why */
        warpld_destroy(link);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* After warpld_run no input can be added, but the output remains usable. */
static void inputs_after_the_run(void **state)
{
    (void)state;
    struct seen seen = {0};
    const void *output;
    size_t size;
    struct warpld_link *link = seen_create_link("sm_80", &seen);
    assert_int_equal(warpld_add_memory(link, "empty", NULL, 0), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    size_t count = seen.count;
    assert_int_equal(warpld_add_memory(link, "x", "x", 1), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_add_file(link, GOOD_INPUT), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_add_library(link, "x"), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_OK);
    assert_int_equal(seen.count, count);
    warpld_destroy(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_pointers_are_sticky),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(a_library_that_is_nowhere),
        cmocka_unit_test(libraries_that_are_passed_over),
        cmocka_unit_test(inputs_after_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
