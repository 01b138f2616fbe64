/* Many links on many threads at once, and one link on many threads. The library has no global
 * state, and the bytes of an output never depend on what else the process does. Run from the
 * repository's root; `make check` runs this under ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "warpld.h"

enum { THREADS = 8, LINKS_OF_A_THREAD = 20, LINK_KINDS = 2, OBJECTS = 3 };

struct file {
    char path[128];
    void *data;
    size_t size;
};

/* One kind of link: an architecture, its inputs, and the result of a link that runs alone. */
struct link_kind {
    const char *architecture;
    struct file objects[OBJECTS];
    void *expected;
    size_t expected_size;
};

static struct link_kind kinds[LINK_KINDS] = {{.architecture = "sm_80"}, {.architecture = "sm_90"}};

static void read_file(struct file *file)
{
    FILE *stream = fopen(file->path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    long size = ftell(stream);
    assert_true(size > 0);
    rewind(stream);
    file->size = (size_t)size;
    file->data = malloc(file->size);
    assert_non_null(file->data);
    assert_int_equal(fread(file->data, 1, file->size, stream), file->size);
    fclose(stream);
}

/* Counts the messages of one link. */
static void count_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    (void)diagnostic;
    (*(int *)context)++;
}

/* Links the objects of one kind. Only the first size / divisor bytes of each object are added, so a
 * divisor above 1 damages the objects. Returns NULL if the link failed. The caller destroys the
 * link. */
static struct warpld_link *link_part(const struct link_kind *kind, size_t divisor, int *messages)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = kind->architecture;
    options.diagnostic = count_message;
    options.diagnostic_context = messages;
    struct warpld_link *link;
    enum warpld_status status = warpld_create(&options, &link);
    for (size_t i = 0; i < OBJECTS && status == WARPLD_OK; i++) {
        const struct file *file = &kind->objects[i];
        status = warpld_add_memory(link, file->path, file->data, file->size / divisor);
    }
    if (status == WARPLD_OK)
        status = warpld_run(link);
    if (status != WARPLD_OK) {
        warpld_destroy(link);
        return NULL;
    }
    return link;
}

static struct warpld_link *link_kind(const struct link_kind *kind, int *messages)
{
    return link_part(kind, 1, messages);
}

/* Whether a link of damaged objects fails with exactly one message, even while other links run. */
static bool half_objects_fail(const struct link_kind *kind)
{
    int messages = 0;
    struct warpld_link *link = link_part(kind, 2, &messages);
    warpld_destroy(link);
    return !link && messages == 1;
}

static int load_inputs(void **state)
{
    static const char *const names[OBJECTS] = {"saxpy", "arithmetic", "reduction"};
    (void)state;
    for (size_t k = 0; k < LINK_KINDS; k++) {
        struct link_kind *kind = &kinds[k];
        for (size_t i = 0; i < OBJECTS; i++) {
            struct file *file = &kind->objects[i];
            snprintf(file->path, sizeof file->path, "examples/demo/data/%s.%s.cubin", names[i],
                     kind->architecture);
            read_file(file);
        }
        int messages = 0;
        struct warpld_link *link = link_kind(kind, &messages);
        assert_non_null(link);
        const void *data;
        assert_int_equal(warpld_output(link, &data, &kind->expected_size), WARPLD_OK);
        kind->expected = malloc(kind->expected_size);
        assert_non_null(kind->expected);
        memcpy(kind->expected, data, kind->expected_size);
        warpld_destroy(link);
    }
    return 0;
}

static int free_inputs(void **state)
{
    (void)state;
    for (size_t k = 0; k < LINK_KINDS; k++) {
        for (size_t i = 0; i < OBJECTS; i++)
            free(kinds[k].objects[i].data);
        free(kinds[k].expected);
    }
    return 0;
}

struct worker {
    pthread_t thread;
    size_t index;
    size_t wrong; /* links that failed or whose output differs */
};

/* cmocka's assertions work on the main thread only, so a worker counts wrong links instead. */
static void *work(void *context)
{
    struct worker *worker = context;
    for (size_t i = 0; i < LINKS_OF_A_THREAD; i++) {
        const struct link_kind *kind = &kinds[(worker->index + i) % LINK_KINDS];
        const void *data = NULL;
        size_t size = 0;
        int messages = 0;
        struct warpld_link *link = link_kind(kind, &messages);
        bool good = link && warpld_output(link, &data, &size) == WARPLD_OK && messages == 0 &&
                    size == kind->expected_size && memcmp(data, kind->expected, size) == 0;
        worker->wrong += !good || !half_objects_fail(kind);
        warpld_destroy(link);
    }
    return NULL;
}

static void test_links_at_once_give_the_same_bytes(void **state)
{
    struct worker workers[THREADS] = {0};
    (void)state;
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].index = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
}

/* A later link does not change the output of an earlier one. */
static void test_finished_links_live_side_by_side(void **state)
{
    struct warpld_link *links[LINK_KINDS];
    int messages[LINK_KINDS] = {0};
    (void)state;
    for (size_t k = 0; k < LINK_KINDS; k++) {
        links[k] = link_kind(&kinds[k], &messages[k]);
        assert_non_null(links[k]);
    }
    for (size_t k = 0; k < LINK_KINDS; k++) {
        const void *data;
        size_t size;
        assert_int_equal(warpld_output(links[k], &data, &size), WARPLD_OK);
        assert_int_equal(size, kinds[k].expected_size);
        assert_memory_equal(data, kinds[k].expected, size);
        warpld_destroy(links[k]);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* One link on several threads                                                                   */

/* With this many objects, one link uses several threads, for its inputs and for its output. */
enum { MANY_OBJECTS = 900 };

/* Returns a copy of the object saxpy in which the kernel has another name of the same length. */
static void *rename_object(const struct file *object, unsigned number)
{
    static const char NAME[] = "saxpy_"; /* part of the kernel's name, but not of its callee's */
    char name[sizeof NAME + 8];
    uint8_t *copy = malloc(object->size);
    assert_non_null(copy);
    memcpy(copy, object->data, object->size);
    snprintf(name, sizeof name, "s%04u_", number);
    for (size_t i = 0; i + strlen(NAME) <= object->size; i++)
        if (!memcmp(copy + i, NAME, strlen(NAME)))
            memcpy(copy + i, name, strlen(NAME));
    return copy;
}

/* Stores the name of the input that the first message is about. */
static void keep_first_input(void *context, const struct warpld_diagnostic *diagnostic)
{
    char *first = context;
    if (!*first && diagnostic->input)
        snprintf(first, 8, "%s", diagnostic->input);
}

static struct warpld_link *link_many(void *const *objects, size_t size, unsigned threads,
                                     char *first_input)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = kinds[0].architecture;
    options.threads = threads;
    options.debug = true; /* keeps all functions and variables */
    options.diagnostic = keep_first_input;
    options.diagnostic_context = first_input;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    for (unsigned i = 0; i < MANY_OBJECTS; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u", i);
        assert_int_equal(warpld_add_memory(link, name, objects[i], size), WARPLD_OK);
    }
    for (size_t i = 1; i < OBJECTS; i++)
        assert_int_equal(warpld_add_file(link, kinds[0].objects[i].path), WARPLD_OK);
    return link;
}

static void test_any_number_of_threads_gives_the_same_bytes(void **state)
{
    static const unsigned THREAD_COUNTS[] = {0, 2, 3, 16};
    const struct file *original = &kinds[0].objects[0];
    void *objects[MANY_OBJECTS];
    struct warpld_link *links[4];
    const void *outputs[4];
    size_t sizes[4];
    char first_input[8] = "";
    (void)state;
    for (unsigned i = 0; i < MANY_OBJECTS; i++)
        objects[i] = rename_object(original, i);
    for (size_t k = 0; k < 4; k++) {
        links[k] = link_many(objects, original->size, THREAD_COUNTS[k], first_input);
        assert_int_equal(warpld_run(links[k]), WARPLD_OK);
        assert_int_equal(warpld_output(links[k], &outputs[k], &sizes[k]), WARPLD_OK);
        assert_int_equal(sizes[k], sizes[0]);
        assert_memory_equal(outputs[k], outputs[0], sizes[0]);
    }
    assert_true(sizes[0] > 2 << 20);
    for (size_t k = 0; k < 4; k++)
        warpld_destroy(links[k]);
    for (size_t i = 0; i < MANY_OBJECTS; i++)
        free(objects[i]);
}

/* The message names the first damaged input in link order, even if a thread finds a later one
 * earlier. */
static void test_damaged_inputs_are_reported_in_order(void **state)
{
    const struct file *original = &kinds[0].objects[0];
    void *objects[MANY_OBJECTS];
    char first_input[8] = "";
    (void)state;
    for (unsigned i = 0; i < MANY_OBJECTS; i++) {
        objects[i] = rename_object(original, i);
        if (i % 100 == 70)
            memset((uint8_t *)objects[i] + 40, 0xff, 8); /* e_shoff */
    }
    struct warpld_link *link = link_many(objects, original->size, 8, first_input);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    assert_string_equal(first_input, "70");
    const void *output;
    size_t size;
    assert_int_equal(warpld_output(link, &output, &size), WARPLD_ERROR_ARGUMENT);
    warpld_destroy(link);
    for (size_t i = 0; i < MANY_OBJECTS; i++)
        free(objects[i]);
}

enum { MANY = 210 }; /* so many that a link reads them on threads and does not keep their bytes */

static bool can_read(struct warpld_link *link, size_t index, const struct file *file)
{
    struct warpld_read_file read = {.size = sizeof read};
    assert_int_equal(warpld_get_read_file(link, index, &read), WARPLD_OK);
    if (read.missing)
        return false;
    assert_int_equal(read.data_size, file->size);
    assert_memory_equal(read.data, file->data, file->size);
    return true;
}

/* Adds MANY copies of an object: the first from the file `own_path`, the others from `file`.
 * Returns the link, which has failed because every copy defines the same names. */
static struct warpld_link *link_beside(const char *own_path, const struct file *file)
{
    int messages = 0;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.diagnostic = count_message;
    options.diagnostic_context = &messages;
    options.threads = 3;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, own_path), WARPLD_OK);
    for (size_t i = 1; i < MANY; i++)
        assert_int_equal(warpld_add_file(link, file->path), WARPLD_OK);
    assert_int_not_equal(warpld_run(link), WARPLD_OK);
    assert_true(messages > 0);
    return link;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void inputs_are_read_again_unless_they_changed(void **state)
{
    (void)state;
    const struct file *file = &kinds[0].objects[0];
    char path[] = "/tmp/warpld-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    write_file(path, file->data, file->size);
    struct warpld_link *link = link_beside(path, file);
    assert_true(can_read(link, 1, file));
    assert_true(can_read(link, 0, file));
    warpld_destroy(link);
    link = link_beside(path, file);
    write_file(path, file->data, file->size / 2);
    assert_false(can_read(link, 0, file));
    assert_true(can_read(link, MANY - 1, file));
    warpld_destroy(link);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_at_once_give_the_same_bytes),
        cmocka_unit_test(test_finished_links_live_side_by_side),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(test_damaged_inputs_are_reported_in_order),
        cmocka_unit_test(inputs_are_read_again_unless_they_changed),
    };
    return cmocka_run_group_tests(tests, load_inputs, free_inputs);
}
