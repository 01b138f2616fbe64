/* Large chunks are written from the input to the output file without an intermediate copy. The
 * output in memory has the same bytes. Run from the repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device_elf.h"
#include "link/model/link_context.h"
#include "warpld.h"

enum { LARGE = 300 << 10, VERY_LARGE = 8 * LARGE, SMALL = 16 };

static const char DATA[] = ".nv.global.init";

static void read_file(const char *path, struct device_elf *file)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    *file = (struct device_elf){NULL, 0};
    uint8_t buffer[4096];
    size_t size;
    while ((size = fread(buffer, 1, sizeof buffer, stream))) {
        file->bytes = realloc(file->bytes, file->size + size);
        assert_non_null(file->bytes);
        memcpy(file->bytes + file->size, buffer, size);
        file->size += size;
    }
    fclose(stream);
}

/* Reads an object of a golden link and replaces the contents of its section DATA with `size`
 * bytes. */
static void make_object(const char *path, size_t size, uint8_t seed, struct device_elf *object)
{
    read_file(path, object);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 7 + i / 256 + seed);
    device_elf_replace(object, DATA, data, size);
    free(data);
}

static struct warpld_link *link_objects(struct device_elf *objects, size_t count)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(warpld_add_memory(link, "x.cubin", objects[i].bytes, objects[i].size),
                         WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    return link;
}

/* Asserts that the output's section DATA is the concatenation of the objects' sections DATA. */
static void assert_data(const struct device_elf *file, struct device_elf *objects,
                        const size_t *sizes, size_t count)
{
    struct device_elf linked = *file;
    const uint8_t *data = device_elf_contents(&linked, DATA);
    assert_non_null(data);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(data, device_elf_contents(&objects[i], DATA), sizes[i]);
        data += sizes[i];
    }
}

static void file_and_memory_are_the_same(void **state)
{
    (void)state;
    static const size_t SIZES[] = {LARGE, SMALL};
    struct device_elf objects[2], written;
    make_object("tests/golden/no-code-only-variables/b.cubin", LARGE, 1, &objects[0]);
    make_object("tests/golden/attributes-of-one-kernel/b.cubin", SMALL, 2, &objects[1]);
    struct warpld_link *link = link_objects(objects, 2);

    char path[] = "/tmp/warpld-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(warpld_write(link, path), WARPLD_OK);
    read_file(path, &written);
    assert_data(&written, objects, SIZES, 2);

    const void *output;
    size_t size;
    for (int time = 0; time < 2; time++) {
        assert_int_equal(warpld_output(link, &output, &size), WARPLD_OK);
        assert_int_equal(size, written.size);
        assert_memory_equal(output, written.bytes, size);
    }
    assert_int_equal(warpld_write(link, path), WARPLD_OK);
    device_elf_free(&written);
    read_file(path, &written);
    assert_memory_equal(output, written.bytes, size);

    unlink(path);
    warpld_destroy(link);
    device_elf_free(&written);
    for (size_t i = 0; i < 2; i++)
        device_elf_free(&objects[i]);
}

/* A large output is made while it is written, and again for each write. After a write that failed
 * because the device was full, the output can therefore be written to another file. */
static void another_file_is_written_after_one_that_failed(void **state)
{
    (void)state;
    struct device_elf object;
    make_object("tests/golden/no-code-only-variables/b.cubin", VERY_LARGE, 1, &object);
    struct warpld_link *link = link_objects(&object, 1);
    assert_int_not_equal(warpld_write(link, "/dev/full"), WARPLD_OK);

    const void *output;
    size_t size;
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_OK);
    assert_true(size > VERY_LARGE);
    assert_int_equal(warpld_write(link, "/dev/null"), WARPLD_OK);

    warpld_destroy(link);
    device_elf_free(&object);
}

/* When memory runs out before the output has even a header, the link can only be destroyed. */
static void nothing_works_when_memory_has_run_out(void **state)
{
    (void)state;
    struct device_elf object;
    struct warpld_read_file file = {.size = sizeof file};
    const void *output;
    size_t size;
    make_object("tests/golden/no-code-only-variables/b.cubin", VERY_LARGE, 1, &object);
    struct warpld_link *link = link_objects(&object, 1);
    assert_int_equal(warpld_get_read_file(link, 0, &file), WARPLD_OK);
    link->arena.limit = 1;
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_ERROR_MEMORY);
    link->arena.limit = 0;
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_write(link, "/dev/null"), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_get_read_file(link, 0, &file), WARPLD_ERROR_MEMORY);
    warpld_destroy(link);
    device_elf_free(&object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_and_memory_are_the_same),
        cmocka_unit_test(another_file_is_written_after_one_that_failed),
        cmocka_unit_test(nothing_works_when_memory_has_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
