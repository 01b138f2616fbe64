/* Snapshots of views. A snapshot that is read back equals the view that was stored. A damaged
 * snapshot is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device_elf.h"
#include "format/elf_snapshot.h"
#include "format/elf_view.h"

struct stored {
    struct device_elf elf;
    struct arena arena;
    struct elf_view view;   /* settled */
    struct elf_view opened; /* from the snapshot */
    struct elf_snapshot_size size;
    uint8_t *facts; /* the two parts, allocated without padding for AddressSanitizer */
    uint8_t *code;
};

static bool opens(struct stored *stored, struct elf_view *view, uint64_t facts, uint64_t code)
{
    return elf_snapshot_open(view, (struct bytes){stored->facts, facts},
                             (struct bytes){stored->code, code}, &stored->arena);
}

static void snapshot_elf(struct stored *stored)
{
    struct outcome outcome = {0};
    struct bytes file = {stored->elf.bytes, stored->elf.size};
    arena_init(&stored->arena, fail_out_of_memory, NULL);
    assert_true(elf_view_open(&stored->view, file, &stored->arena, outcome_note_problem, &outcome));
    stored->size = elf_snapshot_size(&stored->view);
    assert_true(stored->size.code);
    stored->facts = calloc(1, stored->size.facts);
    stored->code = calloc(1, stored->size.code);
    assert_true(stored->facts && stored->code);
    elf_snapshot_write(&stored->view, stored->facts, stored->code);
    elf_view_settle(&stored->view, &stored->arena);
    assert_true(opens(stored, &stored->opened, stored->size.facts, stored->size.code));
}

static void free_stored(struct stored *stored)
{
    arena_destroy(&stored->arena);
    device_elf_free(&stored->elf);
    free(stored->facts);
    free(stored->code);
}

static int set_up(void **state)
{
    struct stored *stored = calloc(1, sizeof *stored);
    if (!stored)
        return -1;
    device_elf_build(&stored->elf);
    snapshot_elf(stored);
    *state = stored;
    return 0;
}

static int tear_down(void **state)
{
    struct stored *stored = *state;
    free_stored(stored);
    free(stored);
    return 0;
}

static void assert_same_section(const struct elf_section *a, const struct elf_section *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(!a->data, !b->data);
    assert_int_equal(a->size, b->size);
    if (a->data)
        assert_memory_equal(a->data, b->data, a->size);
    struct elf_section same = *a;
    same.name = b->name;
    same.data = b->data;
    assert_memory_equal(&same, b, sizeof same);
}

static void assert_same_table(const struct elf_view *a, const struct elf_view *b,
                              enum code_view which)
{
    const struct elf_symbol_table *x = &a->symbols[which], *y = &b->symbols[which];
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->section, y->section);
    assert_int_equal(x->strings_size, y->strings_size);
    assert_int_equal(!a->extended_indices[which], !b->extended_indices[which]);
    for (uint32_t i = 0; i < x->count; i++) {
        struct elf_symbol one = elf_view_symbol(a, which, i), other = elf_view_symbol(b, which, i);
        assert_string_equal(one.name, other.name);
        assert_int_equal(one.section, other.section);
        assert_int_equal(one.value, other.value);
        assert_int_equal(one.type, other.type);
    }
}

static void assert_same_view(const struct elf_view *a, const struct elf_view *b)
{
    assert_int_equal(a->section_count, b->section_count);
    for (uint32_t i = 1; i < a->section_count; i++)
        assert_same_section(&a->sections[i], &b->sections[i]);
    for (int which = 0; which < VIEW_COUNT; which++) {
        assert_same_table(a, b, (enum code_view)which);
        assert_int_equal(a->section_counts[which], b->section_counts[which]);
    }
    assert_int_equal(a->kinds, b->kinds);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->abi, b->abi);
    assert_int_equal(a->names_section, b->names_section);
    assert_int_equal(a->early_section_count, b->early_section_count);
    assert_memory_equal(a->early_sections, b->early_sections, 4 * (size_t)a->early_section_count);
}

static void a_snapshot_has_what_a_settled_view_has(void **state)
{
    const struct stored *stored = *state;
    assert_same_view(&stored->view, &stored->opened);
    assert_null(stored->opened.file.data);
    assert_null(stored->opened.section_table);
}

/* The upper 32 bits of section flags must reach the output. A view has these bits only in its
 * section table, so a snapshot contains the section table if one of these bits is set. */
static void fields_without_a_meaning_are_kept(void **state)
{
    (void)state;
    struct stored stored = {.facts = NULL};
    device_elf_build(&stored.elf);
    device_elf_set_u64(&stored.elf, ".text.k", SECTION_FLAGS,
                       load_u64(device_elf_header(&stored.elf, ".text.k") + SECTION_FLAGS) |
                           UINT64_C(1) << 40);
    snapshot_elf(&stored);
    assert_non_null(stored.opened.section_table);
    uint32_t text = device_elf_index(&stored.elf, ".text.k");
    assert_true(elf_view_section_flags(&stored.opened, &stored.opened.sections[text]) >> 40 & 1);
    assert_same_view(&stored.view, &stored.opened);
    free_stored(&stored);
}

/* A snapshot has two parts, facts and code. The second part has the bytes of all code and no other
 * bytes. */
static void code_is_apart(void **state)
{
    const struct stored *stored = *state;
    for (uint32_t i = 1; i < stored->opened.section_count; i++) {
        const struct elf_section *section = &stored->opened.sections[i];
        bool is_in_code = section->data >= stored->code &&
                          section->data < stored->code + stored->size.code && section->size;
        assert_int_equal(is_in_code, elf_snapshot_is_code(section) && section->size);
    }
}

/* A snapshot is refused if either of its two parts is shorter than it was when stored. */
static void a_snapshot_that_was_cut_off_is_refused(void **state)
{
    struct stored *stored = *state;
    struct elf_view view;
    for (uint64_t size = 0; size < stored->size.facts; size += 8) {
        uint8_t *part = malloc(size + 1);
        assert_non_null(part);
        memcpy(part, stored->facts, size);
        assert_false(elf_snapshot_open(&view, (struct bytes){part, size},
                                       (struct bytes){stored->code, stored->size.code},
                                       &stored->arena));
        free(part);
    }
    for (uint64_t size = 0; size < stored->size.code; size += 8)
        assert_false(opens(stored, &view, stored->size.facts, size));
}

/* Most of a snapshot is trusted, but its offsets and section indices are checked against their
 * limits. */
static void large_numbers_do_not_lead_outside(void **state)
{
    struct stored *stored = *state;
    struct elf_snapshot_size size = stored->size;
    struct elf_view view;
    unsigned refused = 0;
    for (uint64_t at = 0; at + 4 <= size.facts && at < 2000; at += 4) {
        uint32_t value = load_u32(stored->facts + at);
        store_u32(stored->facts + at, UINT32_MAX - 2);
        refused += !opens(stored, &view, size.facts, size.code);
        store_u32(stored->facts + at, value);
    }
    assert_true(refused > 20);
    assert_true(opens(stored, &view, size.facts, size.code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_snapshot_has_what_a_settled_view_has, set_up, tear_down),
        cmocka_unit_test_setup_teardown(code_is_apart, set_up, tear_down),
        cmocka_unit_test(fields_without_a_meaning_are_kept),
        cmocka_unit_test_setup_teardown(a_snapshot_that_was_cut_off_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_numbers_do_not_lead_outside, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("elf_snapshot", tests, NULL, NULL);
}
