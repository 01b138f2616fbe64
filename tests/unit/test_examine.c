/* warpld_examine, and links whose inputs were examined before. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_elf.h"
#include "warpld.h"

enum { LARGEST = 1 << 16 };

static void read_file(struct device_elf *file, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/nvjitlink/data/%s", name);
    device_elf_read(file, path);
}

static struct warpld_link *create(const char *architecture, bool output_undefined)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = architecture;
    options.output_undefined = output_undefined;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    return link;
}

/* Asserts which fields of the result are set. `expected` has one letter for each of them: c for
 * code, p for PTX, l for LTO-IR, t for a missing target, e for an executable, d for a damaged
 * file. */
static void expect(const char *architecture, const char *name, size_t size,
                   enum warpld_content content, const char *expected)
{
    struct device_elf file;
    struct warpld_examined found = {.size = sizeof found};
    struct warpld_link *link = create(architecture, false);
    read_file(&file, name);
    size = size ? size : file.size;
    assert_int_equal(warpld_examine(link, file.bytes, size, &found), WARPLD_OK);
    assert_int_equal(found.content, content);
    assert_int_equal(found.has_code, strchr(expected, 'c') != NULL);
    assert_int_equal(found.has_ptx, strchr(expected, 'p') != NULL);
    assert_int_equal(found.has_lto_ir, strchr(expected, 'l') != NULL);
    assert_int_equal(found.lacks_target, strchr(expected, 't') != NULL);
    assert_int_equal(found.is_linked, strchr(expected, 'e') != NULL);
    assert_int_equal(found.problem != NULL, strchr(expected, 'd') != NULL);
    warpld_destroy(link);
    device_elf_free(&file);
}

static void kinds_of_contents(void **state)
{
    (void)state;
    expect("sm_90", "calls.cubin", 0, WARPLD_CONTENT_CUBIN, "c");
    expect("sm_80", "calls.cubin", 0, WARPLD_CONTENT_CUBIN, "t");
    expect("sm_90", "older/calls.cubin", 0, WARPLD_CONTENT_CUBIN, "c");
    expect("sm_90", "defines.linked.cubin", 0, WARPLD_CONTENT_CUBIN, "ce");
    expect("sm_90", "calls.ptx", 0, WARPLD_CONTENT_PTX, "p");
    expect("sm_90", "calls.ltoir", 0, WARPLD_CONTENT_LTO_IR, "l");
    expect("sm_90", "calls.cu", 0, WARPLD_CONTENT_UNKNOWN, "");
}

static void images_of_containers(void **state)
{
    (void)state;
    expect("sm_90", "defines.fatbin", 0, WARPLD_CONTENT_FATBIN, "c");
    expect("sm_90", "defines.text80.fatbin", 0, WARPLD_CONTENT_FATBIN, "p");
    expect("sm_90", "defines.only80.fatbin", 0, WARPLD_CONTENT_FATBIN, "t");
    expect("sm_90", "defines.o", 0, WARPLD_CONTENT_HOST_OBJECT, "c");
    expect("sm_90", "defines.lto.o", 0, WARPLD_CONTENT_HOST_OBJECT, "l");
    expect("sm_90", "defines.both.o", 0, WARPLD_CONTENT_HOST_OBJECT, "cl");
    expect("sm_90", "defines.whole.o", 0, WARPLD_CONTENT_HOST_OBJECT, "");
    expect("sm_90", "libdefines.text80.a", 0, WARPLD_CONTENT_ARCHIVE, "p");
    expect("sm_80", "libdefines.only80.a", 0, WARPLD_CONTENT_ARCHIVE, "c");
}

static void damage(void **state)
{
    (void)state;
    expect("sm_90", "calls.cubin", 2000, WARPLD_CONTENT_CUBIN, "d");
    expect("sm_90", "calls.cubin", 40, WARPLD_CONTENT_UNKNOWN, "");
    expect("sm_90", "defines.o", 3000, WARPLD_CONTENT_HOST_OBJECT, "d");
    expect("sm_90", "libdefines.a", 3000, WARPLD_CONTENT_ARCHIVE, "d");
}

static void wrong_calls(void **state)
{
    (void)state;
    struct warpld_examined found = {.size = sizeof found};
    struct warpld_link *link = create("sm_90", false);
    assert_int_equal(warpld_examine(NULL, "x", 1, &found), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_examine(link, NULL, 1, &found), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_examine(link, "x", 1, NULL), WARPLD_ERROR_ARGUMENT);
    found.size = 3;
    assert_int_equal(warpld_examine(link, "x", 1, &found), WARPLD_ERROR_ARGUMENT);
    found.size = sizeof found;
    assert_int_equal(warpld_examine(link, NULL, 0, &found), WARPLD_OK);
    assert_int_equal(found.content, WARPLD_CONTENT_UNKNOWN);
    warpld_run(link);
    assert_int_equal(warpld_examine(link, "x", 1, &found), WARPLD_ERROR_ARGUMENT);
    warpld_destroy(link);
}

static void unknown_target(void **state)
{
    (void)state;
    expect("sm_1", "calls.cubin", 0, WARPLD_CONTENT_CUBIN, "t");
    expect("sm_1", "defines.o", 0, WARPLD_CONTENT_HOST_OBJECT, "t");
}

/* Links both files and copies the output to `output`. Returns the size of the output. */
static size_t link_files(bool examines, uint8_t *output)
{
    struct device_elf files[2];
    struct warpld_link *link = create("sm_90", false);
    const void *data;
    size_t size;
    read_file(&files[0], "calls.cubin");
    read_file(&files[1], "defines.cubin");
    for (size_t i = 0; i < 2; i++) {
        struct warpld_examined found = {.size = sizeof found};
        if (examines)
            warpld_examine(link, files[i].bytes, files[i].size, &found);
        warpld_add_memory(link, "input", files[i].bytes, files[i].size);
    }
    assert_int_equal(warpld_run(link), WARPLD_OK);
    assert_int_equal(warpld_output(link, &data, &size), WARPLD_OK);
    assert_true(size <= LARGEST);
    memcpy(output, data, size);
    warpld_destroy(link);
    device_elf_free(&files[0]);
    device_elf_free(&files[1]);
    return size;
}

static void examined_inputs_give_the_same_output(void **state)
{
    (void)state;
    static uint8_t first[LARGEST], second[LARGEST];
    size_t size = link_files(false, first);
    assert_int_equal(link_files(true, second), size);
    assert_memory_equal(first, second, size);
}

static void count_exceptions(void *context, const struct warpld_diagnostic *diagnostic)
{
    unsigned *count = context;
    *count += !strcmp(diagnostic->code, "input-exception");
}

/* warpld_examine reports no warning about a cubin. The link must still report it, so it validates
 * the cubin again. */
static void an_examined_input_causes_the_same_warning(void **state)
{
    (void)state;
    for (int is_examined = 0; is_examined < 2; is_examined++) {
        struct device_elf file;
        struct warpld_examined found = {.size = sizeof found};
        struct warpld_options options = WARPLD_OPTIONS_INIT;
        struct warpld_link *link;
        unsigned count = 0;
        options.architecture = "sm_90";
        options.diagnostic = count_exceptions;
        options.diagnostic_context = &count;
        device_elf_read(&file, "tests/golden/kernel-without-register-record-sm90/a.cubin");
        assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
        if (is_examined)
            assert_int_equal(warpld_examine(link, file.bytes, file.size, &found), WARPLD_OK);
        assert_int_equal(warpld_add_memory(link, "a", file.bytes, file.size), WARPLD_OK);
        warpld_run(link);
        assert_int_equal(count, 1);
        warpld_destroy(link);
        device_elf_free(&file);
    }
}

static void output_of_undefined_symbols(void **state)
{
    (void)state;
    struct device_elf file;
    const void *data;
    size_t size;
    read_file(&file, "calls.cubin");
    for (int wanted = 0; wanted < 2; wanted++) {
        struct warpld_link *link = create("sm_90", wanted);
        warpld_add_memory(link, "calls.cubin", file.bytes, file.size);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_LINK);
        assert_int_equal(warpld_output(link, &data, &size),
                         wanted ? WARPLD_OK : WARPLD_ERROR_ARGUMENT);
        warpld_destroy(link);
    }
    device_elf_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_contents),
        cmocka_unit_test(images_of_containers),
        cmocka_unit_test(damage),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(unknown_target),
        cmocka_unit_test(examined_inputs_give_the_same_output),
        cmocka_unit_test(an_examined_input_causes_the_same_warning),
        cmocka_unit_test(output_of_undefined_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
