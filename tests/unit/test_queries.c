/* The results of functions that query a link, for wrong arguments and when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "link/model/link_context.h"
#include "warpld.h"

static const char INPUT[] = "tests/golden/shared-disjoint-kernels-overlap/a.cubin";

/* Returns a link that has run. INPUT is found only if the test is run from the repository's
 * root. */
static struct warpld_link *run_link(void)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct warpld_link *link;
    options.architecture = "sm_80";
    options.keep_log = true;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_add_file(link, INPUT), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    return link;
}

/* Makes every further allocation of the link fail. */
static void take_all_memory(struct warpld_link *link)
{
    while (link->arena.end > link->arena.next)
        arena_alloc(&link->arena, 1);
    link->arena.limit = link->arena.reserved;
}

typedef enum warpld_status query(struct warpld_link *link);

static enum warpld_status ask_for_function(struct warpld_link *link)
{
    struct warpld_function function = {.size = sizeof function};
    return warpld_get_function(link, 0, link ? &function : NULL);
}

static enum warpld_status ask_for_kernel(struct warpld_link *link)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    return warpld_get_kernel(link, 0, link ? &kernel : NULL);
}

static enum warpld_status ask_for_symbol(struct warpld_link *link)
{
    struct warpld_symbol symbol = {.size = sizeof symbol};
    return warpld_get_symbol(link, 0, link ? &symbol : NULL);
}

static enum warpld_status ask_for_call_graph(struct warpld_link *link)
{
    struct warpld_call_graph graph = {.size = sizeof graph};
    return warpld_get_call_graph(link, link ? &graph : NULL);
}

static enum warpld_status ask_for_log(struct warpld_link *link)
{
    const char *text;
    size_t size;
    return warpld_get_log(link, WARPLD_LOG_TEXT, link ? &text : NULL, &size);
}

static enum warpld_status ask_for_option(struct warpld_link *link)
{
    const char *value;
    return warpld_get_option(link, "register-count", 0, link ? &value : NULL);
}

static query *const QUERIES[] = {
    ask_for_function, ask_for_kernel, ask_for_symbol, ask_for_call_graph, ask_for_log,
};
enum { QUERIES_COUNT = sizeof QUERIES / sizeof *QUERIES };

static void nothing_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUERIES_COUNT; i++)
        assert_int_equal(QUERIES[i](NULL), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(ask_for_option(NULL), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_library_create(NULL), WARPLD_ERROR_ARGUMENT);
    struct warpld_library *library;
    assert_int_equal(warpld_library_create(&library), WARPLD_OK);
    assert_int_equal(warpld_library_add_memory(library, NULL, "", 0), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_library_add_memory(library, "x", NULL, 1), WARPLD_ERROR_ARGUMENT);
    assert_int_equal(warpld_library_add_file(library, NULL), WARPLD_ERROR_ARGUMENT);
    warpld_library_destroy(library);
}

static void all_is_known_of_a_link(void **state)
{
    (void)state;
    struct warpld_link *link = run_link();
    for (size_t i = 0; i < QUERIES_COUNT; i++)
        assert_int_equal(QUERIES[i](link), WARPLD_OK);
    struct warpld_function function = {.size = sizeof function};
    struct warpld_kernel kernel = {.size = sizeof kernel};
    struct warpld_symbol symbol = {.size = sizeof symbol};
    assert_int_equal(warpld_get_function(link, 1000, &function), WARPLD_END);
    assert_int_equal(warpld_get_kernel(link, 1000, &kernel), WARPLD_END);
    assert_int_equal(warpld_get_symbol(link, 1000, &symbol), WARPLD_END);
    warpld_destroy(link);
}

/* The first query, `ask_for_function`, is left out: it needs no memory for this input. */
static void a_query_without_memory_fails(void **state)
{
    (void)state;
    for (size_t i = 1; i < QUERIES_COUNT; i++) {
        struct warpld_link *link = run_link();
        take_all_memory(link);
        assert_int_equal(QUERIES[i](link), WARPLD_ERROR_MEMORY);
        warpld_destroy(link);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_refused),
        cmocka_unit_test(all_is_known_of_a_link),
        cmocka_unit_test(a_query_without_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
