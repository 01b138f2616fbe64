/* Links with a snapshot of a prepared input. A link uses only the parts of the snapshot that its
 * caller confirms to be unchanged, and reads the code only of images that it keeps. Run from the
 * repository's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpld.h"

static const char FAT_BINARY[] = "tests/containers/data/balance.fatbin";

/* A link makes no snapshot of smaller inputs. */
enum { INPUT_SIZE = 128 << 10, SCRAMBLED = 0xa5 };

enum refusal { REFUSE_NOTHING, REFUSE_CODE, REFUSE_ALL };

/* A caller's store of one snapshot. A link gets a scrambled copy. When the link asks for a part to
 * be checked, the store restores the bytes of this part. */
struct store {
    uint8_t input[INPUT_SIZE];
    uint8_t *kept;
    size_t size;
    uint8_t *found; /* the link's copy */
    bool *is_asked; /* for each byte: whether the link asked to check it */
    enum refusal refusal;
    bool optimises; /* the links have an optimiser */
    char form[64];  /* of the snapshot */
    unsigned kept_count, asked_count, refused_count;
};

static bool find(void *context, const struct warpld_prepared_input *input, const void **data,
                 size_t *data_size)
{
    struct store *store = context;
    if (!store->kept || strcmp(store->form, input->form))
        return false;
    store->found = malloc(store->size);
    store->is_asked = calloc(store->size, sizeof *store->is_asked);
    assert_true(store->found && store->is_asked);
    for (size_t i = 0; i < store->size; i++)
        store->found[i] = store->kept[i] ^ SCRAMBLED;
    *data = store->found;
    *data_size = store->size;
    return true;
}

static bool check(void *context, const void *data, size_t data_size)
{
    struct store *store = context;
    size_t offset = (size_t)((const uint8_t *)data - store->found);
    store->asked_count++;
    if (store->refusal == REFUSE_ALL || (store->refusal == REFUSE_CODE && offset)) {
        store->refused_count++;
        return false;
    }
    for (size_t i = offset; i < offset + data_size; i++)
        if (!store->is_asked[i]) {
            store->found[i] ^= SCRAMBLED;
            store->is_asked[i] = true;
        }
    return true;
}

static void keep(void *context, const struct warpld_prepared_input *input, const void *data,
                 size_t data_size)
{
    struct store *store = context;
    snprintf(store->form, sizeof store->form, "%s", input->form);
    free(store->kept);
    store->kept = malloc(data_size);
    assert_non_null(store->kept);
    memcpy(store->kept, data, data_size);
    store->size = data_size;
    store->kept_count++;
}

static int set_up(void **state)
{
    struct store *store = calloc(1, sizeof *store);
    FILE *file = fopen(FAT_BINARY, "rb");
    assert_non_null(store);
    assert_non_null(file);
    size_t size = fread(store->input, 1, sizeof store->input, file);
    fclose(file);
    *state = store;
    return size && size < sizeof store->input ? 0 : -1;
}

static int tear_down(void **state)
{
    struct store *store = *state;
    free(store->kept);
    free(store);
    return 0;
}

/* The output of a link. The caller frees `bytes`. */
struct output {
    uint8_t *bytes;
    size_t size;
    size_t prepared; /* images that the store provided */
};

static struct output output_of(struct warpld_link *link)
{
    struct output output = {.bytes = NULL};
    struct warpld_statistics statistics = {.size = sizeof statistics};
    const void *bytes;
    assert_int_equal(warpld_output(link, &bytes, &output.size), WARPLD_OK);
    assert_int_equal(warpld_get_statistics(link, &statistics), WARPLD_OK);
    output.prepared = statistics.prepared_images;
    output.bytes = malloc(output.size);
    assert_non_null(output.bytes);
    memcpy(output.bytes, bytes, output.size);
    return output;
}

/* An optimiser that must not be called, because no input has LTO-IR. */
static void optimise(void *context, const struct warpld_optimise_request *request,
                     struct warpld_optimise_result *result)
{
    (void)context, (void)request, (void)result;
    fail();
}

static struct output link_with(struct store *store, const char *kernel)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct warpld_link *link;
    options.architecture = "sm_80";
    options.find_prepared = find;
    options.keep_prepared = keep;
    options.check_prepared = check;
    options.prepared_context = store;
    options.optimise = store->optimises ? optimise : NULL;
    options.kernels_used = &kernel;
    options.kernels_used_count = kernel ? 1 : 0;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    assert_int_equal(warpld_add_memory(link, "x.fatbin", store->input, sizeof store->input),
                     WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    struct output output = output_of(link);
    warpld_destroy(link);
    free(store->found);
    free(store->is_asked);
    store->found = NULL;
    store->is_asked = NULL;
    return output;
}

/* Links twice, and asserts that the outputs are equal. Returns the number of images that the second
 * link took from the store. */
static size_t prepared_of_second(struct store *store, enum refusal refusal)
{
    struct output first = link_with(store, NULL);
    assert_int_equal(store->kept_count, 1);
    assert_int_equal(first.prepared, 0);
    store->refusal = refusal;
    struct output second = link_with(store, NULL);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    free(first.bytes);
    free(second.bytes);
    return second.prepared;
}

static void nothing_is_read_before_it_is_checked(void **state)
{
    struct store *store = *state;
    assert_int_equal(prepared_of_second(store, REFUSE_NOTHING), 1);
    assert_int_equal(store->kept_count, 1);
}

static void changed_code_is_taken_from_the_input(void **state)
{
    struct store *store = *state;
    assert_int_equal(prepared_of_second(store, REFUSE_CODE), 1);
    assert_int_equal(store->refused_count, 1);
}

static void a_changed_snapshot_is_made_again(void **state)
{
    struct store *store = *state;
    assert_int_equal(prepared_of_second(store, REFUSE_ALL), 0);
    assert_int_equal(store->kept_count, 2);
}

/* The link keeps no code, so it asks for checks of only two parts: the head of the snapshot and the
 * facts about the image. */
static void code_that_is_not_kept_is_not_checked(void **state)
{
    struct store *store = *state;
    free(link_with(store, NULL).bytes);
    struct output output = link_with(store, "no kernel has this name");
    assert_int_equal(output.prepared, 1);
    assert_int_equal(store->asked_count, 2);
    free(output.bytes);
}

static void links_with_an_optimiser_use_their_own_snapshots(void **state)
{
    struct store *store = *state;
    store->optimises = true;
    assert_int_equal(prepared_of_second(store, REFUSE_NOTHING), 1);
    assert_int_equal(store->kept_count, 1);
    store->optimises = false;
    struct output output = link_with(store, NULL);
    assert_int_equal(output.prepared, 0);
    assert_int_equal(store->kept_count, 2);
    free(output.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_read_before_it_is_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(changed_code_is_taken_from_the_input, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_snapshot_is_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(code_that_is_not_kept_is_not_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_with_an_optimiser_use_their_own_snapshots, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("prepared_inputs", tests, NULL, NULL);
}
