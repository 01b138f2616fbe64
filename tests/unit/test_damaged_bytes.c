/* A link of a damaged object succeeds, or reports what is wrong.
 *
 * The test changes the first bytes of each section of the Mercury view, and of .debug_frame and
 * .debug_line, one byte at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "device_elf.h"
#include "format/elf.h"
#include "format/section_type.h"
#include "warpld.h"

enum { MOST_OBJECTS = 3, BYTES_OF_SECTION = 32 };

struct golden_link {
    const char *folder;
    const char *architecture;
    const char *objects[MOST_OBJECTS]; /* file names; the test damages the first file */
    bool has_index;
    bool debug;
};

static struct device_elf objects[MOST_OBJECTS];
static struct device_elf unified_index;

static void read_file(struct device_elf *file, const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s/%s", folder, name);
    device_elf_free(file);
    device_elf_read(file, path);
}

static void count_problem(void *context, const struct warpld_diagnostic *diagnostic)
{
    *(unsigned *)context += diagnostic->severity >= WARPLD_ERROR;
}

static enum warpld_status run_link(const struct golden_link *golden)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    unsigned problems = 0;
    options.architecture = golden->architecture;
    options.diagnostic = count_problem;
    options.diagnostic_context = &problems;
    options.debug = golden->debug;
    options.allow_newer_toolkit = true;
    options.unified_index = golden->has_index ? unified_index.bytes : NULL;
    options.unified_index_size = golden->has_index ? unified_index.size : 0;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    for (size_t i = 0; i < MOST_OBJECTS && golden->objects[i]; i++)
        assert_int_equal(
            warpld_add_memory(link, golden->objects[i], objects[i].bytes, objects[i].size),
            WARPLD_OK);
    enum warpld_status status = warpld_run(link);
    if (status != WARPLD_OK && !problems)
        fail_msg("%s: status %d without a message", golden->folder, (int)status);
    warpld_destroy(link);
    return status;
}

/* Links with two wrong values of one byte, one after the other. Returns the number of links that
 * fail. */
static unsigned damage_byte(const struct golden_link *golden, size_t at)
{
    uint8_t *byte = &objects[0].bytes[at], whole = *byte;
    const uint8_t values[] = {0xff, (uint8_t)(whole + 1)};
    unsigned failures = 0;
    for (size_t i = 0; i < sizeof values; i++) {
        *byte = values[i];
        failures += run_link(golden) != WARPLD_OK;
    }
    *byte = whole;
    return failures;
}

static bool is_damaged(const char *section)
{
    return strstr(section, "merc") || strstr(section, "debug_frame") ||
           strstr(section, "debug_line");
}

static uint8_t *section_header(uint8_t *bytes, unsigned index)
{
    return bytes + load_u64(bytes + E_SHOFF) + (uint64_t)index * ELF_SECTION_HEADER_SIZE;
}

static const char *section_name(uint8_t *bytes, unsigned index)
{
    const uint8_t *names = section_header(bytes, load_u16(bytes + E_SHSTRNDX));
    const uint8_t *header = section_header(bytes, index);
    return (const char *)bytes + load_u64(names + SH_OFFSET) + load_u32(header + SH_NAME);
}

/* Damages the first bytes of each chosen section. Returns the number of links that fail. */
static unsigned damage_sections(const struct golden_link *golden)
{
    struct device_elf *file = &objects[0];
    unsigned failures = 0;
    for (unsigned i = 1; i < load_u16(file->bytes + E_SHNUM); i++) {
        const uint8_t *header = section_header(file->bytes, i);
        uint64_t start = load_u64(header + SH_OFFSET), size = load_u64(header + SH_SIZE);
        bool is_chosen = is_damaged(section_name(file->bytes, i));
        for (uint64_t b = 0; is_chosen && b < size && b < BYTES_OF_SECTION; b++)
            failures += damage_byte(golden, start + b);
    }
    return failures;
}

static void read_files(const struct golden_link *golden)
{
    for (size_t i = 0; i < MOST_OBJECTS && golden->objects[i]; i++)
        read_file(&objects[i], golden->folder, golden->objects[i]);
    if (golden->has_index)
        read_file(&unified_index, golden->folder, "unified.index");
}

static void a_damaged_byte_is_reported_or_does_no_harm(void **state)
{
    static const struct golden_link LINKS[] = {
        {"mercury-slots-for-debugger-sm100", "sm_100", {"a.cubin", "b.cubin"}, true, true},
        {"mercury-slots-with-lines-sm120", "sm_120", {"a.cubin", "b.cubin"}, true, false},
        {"mercury-data-and-calls-sm120", "sm_120", {"b1.cubin", "b2.cubin"}, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++) {
        read_files(&LINKS[i]);
        assert_int_equal(run_link(&LINKS[i]), WARPLD_OK);
        assert_int_not_equal(damage_sections(&LINKS[i]), 0);
    }
}

/* Links with each relocation type of both views in the first relocations of each section. Returns
 * the number of links that fail. */
static unsigned change_relocations(const struct golden_link *golden)
{
    enum { TYPE_BYTE = 8, MOST_TYPES = 160, ENTRIES_BYTES = 48 };
    struct device_elf *file = &objects[0];
    unsigned failures = 0;
    for (unsigned i = 1; i < load_u16(file->bytes + E_SHNUM); i++) {
        const uint8_t *header = section_header(file->bytes, i);
        uint64_t start = load_u64(header + SH_OFFSET), entry = load_u64(header + SH_ENTSIZE);
        uint64_t size = load_u64(header + SH_SIZE);
        if (!section_form_is_relocations(section_type_form(load_u32(header + SH_TYPE))))
            continue;
        assert_int_not_equal(entry, 0);
        for (uint64_t at = 0; at < size && at < ENTRIES_BYTES; at += entry) {
            uint8_t *type = file->bytes + start + at + TYPE_BYTE;
            uint32_t whole = load_u32(type);
            for (uint32_t number = 0; number < MOST_TYPES; number++) {
                store_u32(type, (whole & 0xffff0000) | number);
                failures += run_link(golden) != WARPLD_OK;
                store_u32(type, ((whole ^ 0x10000) & 0xffff0000) | number);
                failures += run_link(golden) != WARPLD_OK;
            }
            store_u32(type, whole);
        }
    }
    return failures;
}

static void a_relocation_of_any_type_is_applied_or_refused(void **state)
{
    static const struct golden_link LINKS[] = {
        {"texture-and-sampler-slots", "sm_90", {"a.cubin"}, false, false},
        {"mercury-texture-slots-sm100", "sm_100", {"tx.cubin"}, false, false},
        {"texture-parameters", "sm_80", {"a.cubin", "b.cubin"}, false, false},
        {"unified-tables-verbose", "sm_90", {"a.cubin", "b.cubin"}, true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; i++) {
        read_files(&LINKS[i]);
        assert_int_equal(run_link(&LINKS[i]), WARPLD_OK);
        assert_int_not_equal(change_relocations(&LINKS[i]), 0);
    }
}

/* In .nv.global.init and its counterpart a symbol has the same offset, because both views share the
 * bytes. So a link refuses an object whose views have different alignments for this section. */
static void both_views_have_the_same_alignment(void **state)
{
    static const struct golden_link LINK = {
        "mercury-no-frames-left-sm120", "sm_120", {"a.cubin"}, false, false};
    (void)state;
    unsigned changed = 0;
    read_files(&LINK);
    for (unsigned i = 1; i < load_u16(objects[0].bytes + E_SHNUM); i++) {
        if (strcmp(section_name(objects[0].bytes, i), ".nv.global.init"))
            continue;
        store_u64(section_header(objects[0].bytes, i) + SH_ADDRALIGN, 256);
        changed++;
    }
    assert_int_not_equal(changed, 0);
    assert_int_equal(run_link(&LINK), WARPLD_ERROR_FATAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_byte_is_reported_or_does_no_harm),
        cmocka_unit_test(a_relocation_of_any_type_is_applied_or_refused),
        cmocka_unit_test(both_views_have_the_same_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
