/* Messages that no input provokes in a test.
 *
 * One message is about names of more than 4 GB in total. The other is about a section whose written
 * bytes differ from its planned size, which would be a defect of the linker. tests/diagnostics
 * reads what this program prints. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "link/model/link_context.h"
#include "link/write/string_tables.h"
#include "link/write/write_output.h"
#include "warpld.h"

struct seen {
    unsigned count;
    char last_code[32];
};

static void take(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct seen *seen = context;
    seen->count++;
    strncpy(seen->last_code, diagnostic->code, sizeof seen->last_code - 1);
    print_message("%s: %s\n", diagnostic->code, diagnostic->text);
}

static struct warpld_link *link_variables(struct seen *seen)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = take;
    options.diagnostic_context = seen;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    const char *path = "tests/golden/no-code-only-variables/b.cubin";
    assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    assert_int_equal(seen->count, 0);
    return link;
}

static void assert_fatal(struct warpld_link *link, const struct seen *seen, const char *code)
{
    assert_int_equal(seen->count, 1);
    assert_string_equal(seen->last_code, code);
    assert_int_equal(link->diagnostics.fatals, 1);
    warpld_destroy(link);
}

/* .strtab and .shstrtab are limited to 4 GB, because offsets in them have 32 bits. */
static void names_of_symbols_beyond_the_limit(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = link_variables(&seen);
    link->output.strtab_size = UINT32_MAX;
    string_tables_settle(link);
    assert_int_equal(seen.count, 0);
    link->output.strtab_size++;
    string_tables_settle(link);
    assert_fatal(link, &seen, "output-strings");
}

static void names_of_sections_beyond_the_limit(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = link_variables(&seen);
    link->output.shstrtab_size = UINT64_C(1) << 32;
    string_tables_settle(link);
    assert_fatal(link, &seen, "output-strings");
}

/* Each write makes the bytes of the output again. The size of a section changes between two writes,
 * so that only the second write fails. */
static void a_section_of_another_size_than_planned(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct warpld_link *link = link_variables(&seen);
    write_in_memory(link);
    assert_int_equal(seen.count, 0);
    link->output.string_table->size++;
    write_in_memory(link);
    assert_fatal(link, &seen, "internal-size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_symbols_beyond_the_limit),
        cmocka_unit_test(names_of_sections_beyond_the_limit),
        cmocka_unit_test(a_section_of_another_size_than_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
