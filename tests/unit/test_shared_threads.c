/* Links on many threads share one library. The first link that needs an image makes it, and all
 * outputs for a target have the same bytes. Run from the repository's root. `make check` runs this
 * test under ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpld.h"

enum { THREADS = 16, LINKS_OF_A_THREAD = 20, ROUNDS = 5, INPUTS = 2 };

/* A compressed fat binary and an object; both have code that either target accepts. */
static const char *const INPUT_PATHS[INPUTS] = {
    "tests/containers/data/balance.fatbin",
    "tests/containers/data/first.sm_80.cubin",
};

static const char *const TARGETS[] = {"sm_80", "sm_86"};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

/* The result of a link. The caller frees `bytes`. */
struct result {
    enum warpld_status status;
    void *bytes;
    size_t size;
    int messages;
};

static void count_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    (void)diagnostic;
    (*(int *)context)++;
}

static enum warpld_status add_inputs(struct warpld_link *link, struct warpld_library *library)
{
    if (library)
        return warpld_add_shared(link, library);
    enum warpld_status status = WARPLD_OK;
    for (size_t i = 0; i < INPUTS && status == WARPLD_OK; i++)
        status = warpld_add_file(link, INPUT_PATHS[i]);
    return status;
}

/* Links for a target: the inputs of the library or, if `library` is NULL, the files INPUT_PATHS. */
static struct result link_for(const char *target, struct warpld_library *library)
{
    struct result result = {.bytes = NULL};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = target;
    options.diagnostic = count_message;
    options.diagnostic_context = &result.messages;
    struct warpld_link *link;
    const void *output;
    result.status = warpld_create(&options, &link);
    if (result.status == WARPLD_OK)
        result.status = add_inputs(link, library);
    if (result.status == WARPLD_OK)
        result.status = warpld_run(link);
    if (result.status == WARPLD_OK && warpld_output(link, &output, &result.size) == WARPLD_OK) {
        result.bytes = malloc(result.size);
        if (result.bytes)
            memcpy(result.bytes, output, result.size);
    }
    warpld_destroy(link);
    return result;
}

static bool is_same(const struct result *one, const struct result *other)
{
    return one->status == other->status && one->messages == other->messages &&
           one->size == other->size && !one->bytes == !other->bytes &&
           (!one->bytes || !memcmp(one->bytes, other->bytes, one->size));
}

static struct warpld_library *make_library(void)
{
    struct warpld_library *library;
    assert_int_equal(warpld_library_create(&library), WARPLD_OK);
    for (size_t i = 0; i < INPUTS; i++)
        assert_int_equal(warpld_library_add_file(library, INPUT_PATHS[i]), WARPLD_OK);
    return library;
}

struct worker {
    pthread_t thread;
    size_t index;
    struct warpld_library *library;
    const struct result *expected; /* by target */
    size_t wrong;                  /* links with another result */
};

/* cmocka's assertions work on the main thread only, so a worker counts wrong links instead. */
static void *work(void *context)
{
    struct worker *worker = context;
    for (size_t i = 0; i < LINKS_OF_A_THREAD; i++) {
        size_t target = (worker->index + i) % TARGET_COUNT;
        struct result result = link_for(TARGETS[target], worker->library);
        worker->wrong += !is_same(&result, &worker->expected[target]);
        free(result.bytes);
    }
    return NULL;
}

/* Makes a library, whose images no link has made yet, and links from it on all threads. */
static void share_in_one_round(const struct result *expected)
{
    struct worker workers[THREADS] = {0};
    struct warpld_library *library = make_library();
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.index = i, .library = library, .expected = expected};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
    warpld_library_destroy(library);
}

static void test_links_that_share_have_the_same_bytes(void **state)
{
    struct result expected[TARGET_COUNT];
    (void)state;
    for (size_t i = 0; i < TARGET_COUNT; i++)
        expected[i] = link_for(TARGETS[i], NULL);
    assert_non_null(expected[0].bytes);
    for (int round = 0; round < ROUNDS; round++)
        share_in_one_round(expected);
    for (size_t i = 0; i < TARGET_COUNT; i++)
        free(expected[i].bytes);
}

/* Runs a link after the caller has released the library that the link uses. Returns NULL if the
 * link fails. */
static void *run_last(void *context)
{
    struct warpld_link *link = context;
    enum warpld_status status = warpld_run(link);
    warpld_destroy(link);
    return status == WARPLD_OK ? (void *)INPUT_PATHS : NULL;
}

static void test_last_link_frees_the_library(void **state)
{
    pthread_t threads[THREADS];
    struct warpld_link *links[THREADS];
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    struct warpld_library *library;
    (void)state;
    assert_int_equal(warpld_library_create(&library), WARPLD_OK);
    assert_int_equal(warpld_library_add_file(library, INPUT_PATHS[0]), WARPLD_OK);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(warpld_create(&options, &links[i]), WARPLD_OK);
        assert_int_equal(warpld_add_shared(links[i], library), WARPLD_OK);
    }
    warpld_library_destroy(library);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_last, links[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *succeeded;
        assert_int_equal(pthread_join(threads[i], &succeeded), 0);
        assert_non_null(succeeded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_that_share_have_the_same_bytes),
        cmocka_unit_test(test_last_link_frees_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
