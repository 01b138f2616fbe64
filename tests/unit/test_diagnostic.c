/* Messages: their texts, which of them count as errors, and how much text is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diagnostic.h"

/* The messages that the sink has received. */
struct seen {
    unsigned count;
    uint64_t text_size;
    enum severity last_severity;
    char last_text[256];
    char last_code[64];
};

static void note(void *context, const struct diagnostic *diagnostic)
{
    struct seen *seen = context;
    seen->count++;
    seen->text_size += strlen(diagnostic->text);
    seen->last_severity = diagnostic->severity;
    strncpy(seen->last_text, diagnostic->text, sizeof seen->last_text - 1);
    strncpy(seen->last_code, diagnostic->code, sizeof seen->last_code - 1);
}

static void every_message_has_a_code_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < DIAGNOSTIC_COUNT; i++) {
        assert_true(strlen(diagnostic_facts((enum diagnostic_name)i)->text) > 5 ||
                    i == DIAGNOSTIC_COMPILE_REFUSED || i == DIAGNOSTIC_COMPILE_REMEDY
                    /* the text is the compiler's */);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(diagnostic_facts((enum diagnostic_name)i)->code,
                                    diagnostic_facts((enum diagnostic_name)other)->code);
    }
}

static void warnings_can_be_errors(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct diagnostics diagnostics = {.sink = note, .context = &seen};
    diagnostic_report(&diagnostics, DIAGNOSTIC_INPUT_UNKNOWN, "a.o", NULL, "a.o");
    assert_int_equal(seen.last_severity, SEVERITY_WARNING);
    assert_false(diagnostics_failed(&diagnostics));
    diagnostics.warnings_are_errors = true;
    diagnostic_report(&diagnostics, DIAGNOSTIC_INPUT_UNKNOWN, "a.o", NULL, "a.o");
    assert_int_equal(seen.last_severity, SEVERITY_ERROR);
    assert_true(diagnostics_failed(&diagnostics));
    assert_int_equal(diagnostics.errors, 1);
}

static void a_name_cannot_look_like_a_line(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct diagnostics diagnostics = {.sink = note, .context = &seen};
    diagnostic_report(&diagnostics, DIAGNOSTIC_INPUT_NOT_ELF, NULL, NULL);
    assert_string_equal(seen.last_text, "cubin not an elf?");
    diagnostic_report(&diagnostics, DIAGNOSTIC_INPUT_UNREADABLE, NULL, NULL,
                      "a\nnvlink info\t\x1b[1m\x7f\xc3\xa9");
    assert_string_equal(seen.last_text,
                        "Could not open input file 'a\\x0anvlink info\\x09\\x1b[1m\\x7f\xc3\xa9'");
    diagnostic_report(&diagnostics, DIAGNOSTIC_INPUT_UNREADABLE, NULL, NULL,
                      "\xc2\x9b"
                      "31m\xc2\xa0\xc2");
    assert_string_equal(seen.last_text, "Could not open input file '\\xc2\\x9b31m\xc2\xa0\xc2'");
}

static void report_many(struct diagnostics *diagnostics, enum diagnostic_name message)
{
    enum { NAME_SIZE = 1 << 20, MESSAGES = 200 };
    char *name = malloc(NAME_SIZE + 1);
    assert_non_null(name);
    memset(name, 'n', NAME_SIZE);
    name[NAME_SIZE] = 0;
    for (int i = 0; i < MESSAGES; i++)
        diagnostic_report(diagnostics, message, NULL, NULL, name, "a.o");
    free(name);
}

/* Every message is counted, but after 64 MB of messages of one severity, further messages of this
 * severity are not shown. */
static void there_is_an_end_to_the_text(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct diagnostics diagnostics = {.sink = note, .context = &seen};
    report_many(&diagnostics, DIAGNOSTIC_INPUT_UNKNOWN);
    assert_in_range(seen.count, 60, 70);
    assert_true(seen.text_size < UINT64_C(70) << 20);
    assert_string_equal(seen.last_code, "too-many-messages");
    assert_int_equal(seen.last_severity, SEVERITY_WARNING);
    report_many(&diagnostics, DIAGNOSTIC_UNDEFINED_REFERENCE);
    assert_int_equal(diagnostics.errors, 200);
    assert_in_range(seen.count, 120, 140);
    assert_int_equal(seen.last_severity, SEVERITY_ERROR);
    diagnostic_report(&diagnostics, DIAGNOSTIC_OUT_OF_MEMORY, NULL, NULL);
    assert_string_equal(seen.last_text, "Out of memory");
}

static void take_section(void *context, const struct diagnostic *diagnostic)
{
    char(*section)[64] = context;
    snprintf(*section, sizeof *section, "%s", diagnostic->section ? diagnostic->section : "none");
}

/* A message has arguments of several types. The words before an argument show that it is the name
 * of a section. */
static void the_section_of_a_message_is_known(void **state)
{
    char section[64];
    (void)state;
    struct diagnostics diagnostics = {.sink = take_section, .context = section};
    diagnostic_report(&diagnostics, DIAGNOSTIC_MEMORY_LIMIT, NULL, NULL, ".nv.global", 5ULL, 4ULL);
    assert_string_equal(section, ".nv.global");
    diagnostic_report(&diagnostics, DIAGNOSTIC_REFERRED_IN, NULL, NULL, "a.o", ".text.k");
    assert_string_equal(section, ".text.k");
    diagnostic_report(&diagnostics, DIAGNOSTIC_RELOCATION_PLACE, NULL, NULL, "a.o", ".text.k",
                      16ULL, "R_CUDA_32", "x");
    assert_string_equal(section, ".text.k");
    diagnostic_report(&diagnostics, DIAGNOSTIC_INTERNAL_SIZE, NULL, NULL, ".symtab", 1ULL, 2ULL);
    assert_string_equal(section, ".symtab");
    diagnostic_report(&diagnostics, DIAGNOSTIC_CALL_FIRST, NULL, NULL, "f", "a.o", 3U, "registers");
    assert_string_equal(section, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_has_a_code_of_its_own),
        cmocka_unit_test(warnings_can_be_errors),
        cmocka_unit_test(a_name_cannot_look_like_a_line),
        cmocka_unit_test(there_is_an_end_to_the_text),
        cmocka_unit_test(the_section_of_a_message_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
