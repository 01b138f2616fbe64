/* The mutators of the fuzz targets do not write past their buffers, and many mutated inputs can
 * still be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../fuzz/enclosing.h"
#include "../../fuzz/mutate.h"
#include "../../fuzz/mutation.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"

enum { CAPACITY = 1 << 16, GUARD = 64, SEEDS = 3000 };

struct buffer {
    uint8_t bytes[CAPACITY + GUARD];
    size_t size;
};

static void read_file(const char *path, struct buffer *buffer)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing; run from the repository's root", path);
    buffer->size = fread(buffer->bytes, 1, CAPACITY, file);
    fclose(file);
    assert_true(buffer->size > 0);
}

/* Mutates a copy of `original` in a buffer of `max_size` bytes. A guard area after the buffer must
 * not change. Returns the new size. */
static size_t mutate(const struct buffer *original, uint8_t *bytes, size_t max_size, unsigned seed)
{
    memcpy(bytes, original->bytes, original->size);
    memset(bytes + max_size, 0x5a, GUARD);
    size_t size = LLVMFuzzerCustomMutator(bytes, original->size, max_size, seed);
    assert_true(size <= max_size);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(bytes[max_size + i], 0x5a);
    return size;
}

/* Counts the mutated inputs that differ from the original. Half of them have little space to
 * grow. */
static unsigned count_changes(const char *path)
{
    static struct buffer original;
    static uint8_t bytes[CAPACITY + GUARD];
    unsigned changed = 0;
    read_file(path, &original);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        size_t max_size = seed % 2 ? CAPACITY : original.size + seed % 64;
        size_t size = mutate(&original, bytes, max_size, seed);
        changed += size != original.size || memcmp(bytes, original.bytes, size) != 0;
    }
    return changed;
}

static void each_kind_of_file_is_changed(void **state)
{
    static const char *const PATHS[] = {"fuzz/corpus/containers/archive.bin",
                                        "fuzz/corpus/containers/fat_binary.bin",
                                        "fuzz/corpus/containers/host_object.bin",
                                        "fuzz/corpus/containers/packed_size.bin",
                                        "fuzz/corpus/containers/thin_archive.bin",
                                        "fuzz/corpus/containers/text.bin",
                                        "fuzz/corpus/unified_index/both_tables.bin",
                                        "fuzz/corpus/elf_view/sm_90.cubin",
                                        "fuzz/corpus/cubintool/objects_of_two_targets.bin"};
    (void)state;
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        if (count_changes(PATHS[i]) < SEEDS / 2)
            fail_msg("%s: fewer than half of the mutations change it", PATHS[i]);
}

static bool archive_is_sound(struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    if (!archive_recognise(file))
        return false;
    archive_open(&archive, file);
    while (archive_next(&archive, &member))
        ;
    return !archive.problem;
}

static bool fat_binary_is_sound(struct bytes file)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    if (!fatbin_recognise(file))
        return false;
    fatbin_open(&fatbin, file);
    do
        while (fatbin_next_entry(&fatbin, &entry))
            ;
    while (fatbin_next_container(&fatbin));
    return !fatbin.problem;
}

/* Asserts that at least a fifth of the mutated files, but not all, can be read. The file begins at
 * the second byte of an input; the first byte chooses options. */
static void check_sound(const char *path, bool (*is_sound)(struct bytes))
{
    static struct buffer original;
    static uint8_t bytes[CAPACITY + GUARD];
    unsigned sound = 0;
    read_file(path, &original);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        size_t size = mutate(&original, bytes, CAPACITY, seed);
        sound += size > 1 && is_sound((struct bytes){bytes + 1, size - 1});
    }
    if (sound < SEEDS / 5 || sound == SEEDS)
        fail_msg("%s: %u of %d results can be read", path, sound, SEEDS);
}

static void containers_stay_readable(void **state)
{
    (void)state;
    check_sound("fuzz/corpus/containers/archive.bin", archive_is_sound);
    check_sound("fuzz/corpus/containers/thin_archive.bin", archive_is_sound);
    check_sound("fuzz/corpus/containers/fat_binary.bin", fat_binary_is_sound);
}

/* The first byte of the input chooses options, so the archive and its members begin at odd offsets.
 * The padding of members must be computed from the start of the archive. */
static void all_members_of_an_archive_are_found(void **state)
{
    static struct buffer original;
    unsigned count = 0;
    (void)state;
    read_file("fuzz/corpus/containers/archive.bin", &original);
    struct fuzz_input input = {.data = original.bytes, .size = original.size};
    struct part part = {.end = first_part(&input, 1, INPUT_ARCHIVE)};
    while (next_part(&input, INPUT_ARCHIVE, part.end, &part))
        count++;
    assert_int_equal(count, 3); /* the table of long names and two members */
}

/* When a device ELF grows, the sizes of its entry and its fat binary are increased by the same
 * amount. */
static void containers_grow_with_their_contents(void **state)
{
    static struct buffer original;
    enum { GROWTH = 16 };
    (void)state;
    read_file("fuzz/corpus/containers/fat_binary.bin", &original);
    struct fuzz_input input = {
        .data = original.bytes, .size = original.size, .max_size = CAPACITY, .random = 1};
    do
        choose_file(&input);
    while (input.kind != INPUT_DEVICE_ELF);
    struct part before, after;
    size_t container_before = container_end(&input, 1, INPUT_FAT_BINARY);
    assert_true(
        next_part(&input, INPUT_FAT_BINARY, first_part(&input, 1, INPUT_FAT_BINARY), &before));
    assert_int_equal(before.start, input.start);
    assert_true(insert_bytes(&input, input.end, GROWTH));
    assert_true(
        next_part(&input, INPUT_FAT_BINARY, first_part(&input, 1, INPUT_FAT_BINARY), &after));
    assert_int_equal(after.end, before.end + GROWTH);
    assert_int_equal(container_end(&input, 1, INPUT_FAT_BINARY), container_before + GROWTH);
    assert_true(fat_binary_is_sound((struct bytes){input.data + 1, input.size - 1}));
}

/* When a fat binary in a host object grows, the sections that follow move. */
static void host_objects_grow_with_their_contents(void **state)
{
    static struct buffer original;
    (void)state;
    read_file("fuzz/corpus/containers/host_object.bin", &original);
    struct fuzz_input input = {
        .data = original.bytes, .size = original.size, .max_size = CAPACITY, .random = 1};
    do
        choose_file(&input);
    while (input.kind != INPUT_FAT_BINARY);
    size_t end = container_end(&input, 1, INPUT_HOST_ELF);
    assert_true(input.start > 1 && input.end < end);
    assert_true(insert_bytes(&input, input.end, 8));
    assert_int_equal(container_end(&input, 1, INPUT_HOST_ELF), end + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_file_is_changed),
        cmocka_unit_test(containers_stay_readable),
        cmocka_unit_test(all_members_of_an_archive_are_found),
        cmocka_unit_test(containers_grow_with_their_contents),
        cmocka_unit_test(host_objects_grow_with_their_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
