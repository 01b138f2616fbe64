/* Users of the library receive notes through their callback, behind the message that each explains.
 * Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
    if (seen->count == MOST)
        return;
    seen->severities[seen->count] = diagnostic->severity;
    strncpy(seen->codes[seen->count++], diagnostic->code, sizeof *seen->codes - 1);
}

static struct seen link_file(const char *path)
{
    struct seen seen = {0};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = take;
    options.diagnostic_context = &seen;
    struct warpld_link *link = warpld_create(&options);
    assert_non_null(link);
    assert_int_equal(warpld_add_library(link, "nowhere"), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_LINK);
    warpld_destroy(link);
    return seen;
}

static void notes_follow_their_message(void **state)
{
    (void)state;
    static const char *const CODES[] = {"undefined-reference", "readable-name", "referred-by",
                                        "referred-by",         "referred-by",   "referred-more",
                                        "library-missing"};
    struct seen seen = link_file("tests/notes/data/calls_missing.sm_80.cubin");
    assert_int_equal(seen.count, sizeof CODES / sizeof *CODES);
    for (size_t i = 0; i < seen.count; i++) {
        assert_string_equal(seen.codes[i], CODES[i]);
        assert_int_equal(seen.severities[i], i ? WARPLD_NOTE : WARPLD_ERROR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_follow_their_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
