/* Links through the library whose messages a test remembers; see seen_messages.h. */
#include "seen_messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const char GOOD_INPUT[] = "tests/notes/data/address_taken.sm_80.cubin";

void seen_take(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct seen *seen = context;
    print_message("%s: %s\n", diagnostic->code, diagnostic->text); /* tests/diagnostics reads it */
    if (seen->count == MOST_SEEN)
        return;
    seen->severities[seen->count] = diagnostic->severity;
    strncpy(seen->codes[seen->count++], diagnostic->code, sizeof *seen->codes - 1);
}

struct warpld_options seen_options(struct seen *seen)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = seen_take;
    options.diagnostic_context = seen;
    return options;
}

struct warpld_link *seen_create_link(const char *architecture, struct seen *seen)
{
    struct warpld_options options = seen_options(seen);
    options.architecture = architecture;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    return link;
}

void seen_assert_fatal(const struct seen *seen, const char *code)
{
    assert_int_equal(seen->count, 1);
    assert_string_equal(seen->codes[0], code);
    assert_int_equal(seen->severities[0], WARPLD_FATAL);
}
