/* Notes are written as nvlink writes them, and can be read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/elf.h"
#include "format/note.h"

static const struct note_tkinfo TOOL = {"", "cc", "release 1", "build 2", "-arch sm_90 "};

static struct note only_note(const uint8_t *bytes, uint64_t size)
{
    struct bytes rest = {bytes, size};
    struct note note;
    assert_true(note_next(&rest, &note));
    assert_int_equal(rest.size, 0);
    return note;
}

/* The bytes that nvlink 13.0.88 writes for virtual SM 90. */
static void a_cuinfo_note_has_the_known_bytes(void **state)
{
    (void)state;
    static const uint8_t EXPECTED[] = {12,  0,   0,   0,   8,   0,   0,   0,   0xe8, 3,   0,
                                       0,   'N', 'V', 'I', 'D', 'I', 'A', ' ', 'C',  'o', 'r',
                                       'p', 0,   2,   0,   90,  0,   130, 0,   0,    0};
    const struct note_cuinfo cuinfo = {NOTE_CUINFO_VERSION, 90, 130};
    uint8_t bytes[sizeof EXPECTED];
    assert_int_equal(note_cuinfo_size(), sizeof EXPECTED);
    note_write_cuinfo(bytes, &cuinfo);
    assert_memory_equal(bytes, EXPECTED, sizeof EXPECTED);
}

static void a_cuinfo_note_reads_back(void **state)
{
    (void)state;
    const struct note_cuinfo cuinfo = {NOTE_CUINFO_VERSION, 75, 130};
    struct note_cuinfo back;
    uint8_t bytes[32];
    note_write_cuinfo(bytes, &cuinfo);
    struct note note = only_note(bytes, note_cuinfo_size());
    assert_true(note_is_vendors(&note));
    assert_int_equal(note.type, NT_CUINFO);
    assert_true(note_read_cuinfo(&note, &back));
    assert_int_equal(back.version, 2);
    assert_int_equal(back.virtual_sm, 75);
    assert_int_equal(back.toolkit, 130);
    note.content.size = 7;
    assert_false(note_read_cuinfo(&note, &back));
}

/* The content is six words, followed by five strings. The size in the note's header includes the
 * padding. */
static void a_tool_note_is_laid_out_as_observed(void **state)
{
    (void)state;
    static const char STRINGS[] = "\0cc\0release 1\0build 2\0-arch sm_90 ";
    static const uint32_t OFFSETS[] = {0, 1, 4, 14, 22};
    uint8_t bytes[128];
    uint32_t size = note_tkinfo_size(&TOOL);
    memset(bytes, 0xaa, sizeof bytes);
    note_write_tkinfo(bytes, &TOOL);
    assert_int_equal(size, 24 + 24 + 36); /* 35 bytes of strings, one of padding */
    assert_int_equal(load_u32(bytes + 4), 24 + 36);
    assert_int_equal(load_u32(bytes + 8), NT_TKINFO);
    assert_int_equal(load_u32(bytes + 24), NOTE_TKINFO_VERSION);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(load_u32(bytes + 28 + 4 * i), OFFSETS[i]);
    assert_memory_equal(bytes + 48, STRINGS, sizeof STRINGS);
    assert_int_equal(bytes[size - 1], 0);
    assert_int_equal(bytes[size], 0xaa);
}

static void a_tool_note_reads_back(void **state)
{
    (void)state;
    uint8_t bytes[128];
    struct note_tkinfo back;
    note_write_tkinfo(bytes, &TOOL);
    struct note note = only_note(bytes, note_tkinfo_size(&TOOL));
    assert_true(note_is_vendors(&note));
    assert_true(note_read_tkinfo(&note, &back));
    assert_string_equal(back.object_name, "");
    assert_string_equal(back.tool_name, TOOL.tool_name);
    assert_string_equal(back.tool_version, TOOL.tool_version);
    assert_string_equal(back.tool_build, TOOL.tool_build);
    assert_string_equal(back.command_line, TOOL.command_line);
}

static void sizes_are_whole_words(void **state)
{
    (void)state;
    char name[16] = "";
    for (size_t length = 0; length < 8; length++) {
        name[length] = 'x';
        const struct note_tkinfo tkinfo = {name, "", "", "", ""};
        uint8_t bytes[64];
        struct note_tkinfo back;
        assert_int_equal(note_tkinfo_size(&tkinfo) % 4, 0);
        note_write_tkinfo(bytes, &tkinfo);
        struct note note = only_note(bytes, note_tkinfo_size(&tkinfo));
        assert_true(note_read_tkinfo(&note, &back));
        assert_string_equal(back.object_name, name);
        assert_string_equal(back.command_line, "");
    }
}

static void malformed_tool_notes_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[128];
    struct note_tkinfo back;
    for (size_t word = 0; word < 6; word++) {
        note_write_tkinfo(bytes, &TOOL);
        struct note note = only_note(bytes, note_tkinfo_size(&TOOL));
        store_u32(bytes + 24 + 4 * word, word ? 36 : 1);
        assert_false(note_read_tkinfo(&note, &back));
        note.content.size = 4 * word;
        assert_false(note_read_tkinfo(&note, &back));
    }
    note_write_tkinfo(bytes, &TOOL);
    struct note note = only_note(bytes, note_tkinfo_size(&TOOL));
    note.content.size = 24 + 34; /* without the NUL of the last string */
    assert_false(note_read_tkinfo(&note, &back));
}

static void notes_follow_each_other(void **state)
{
    (void)state;
    const struct note_cuinfo cuinfo = {2, 90, 130};
    uint8_t bytes[256];
    uint32_t first = note_tkinfo_size(&TOOL);
    note_write_tkinfo(bytes, &TOOL);
    note_write_cuinfo(bytes + first, &cuinfo);
    struct bytes rest = {bytes, first + note_cuinfo_size()};
    struct note note;
    assert_true(note_next(&rest, &note));
    assert_int_equal(note.type, NT_TKINFO);
    assert_true(note_next(&rest, &note));
    assert_int_equal(note.type, NT_CUINFO);
    assert_false(note_next(&rest, &note));
    assert_int_equal(rest.size, 0);
}

static void a_cut_note_is_left_over(void **state)
{
    (void)state;
    uint8_t bytes[128];
    note_write_tkinfo(bytes, &TOOL);
    for (uint32_t size = 1; size < note_tkinfo_size(&TOOL); size++) {
        struct bytes rest = {bytes, size};
        struct note note;
        assert_false(note_next(&rest, &note));
        assert_int_equal(rest.size, size);
    }
}

/* A note of another vendor. Its name is GNU, and no padding follows the last content. */
static void foreign_notes_are_read_but_not_mistaken(void **state)
{
    (void)state;
    static const uint8_t BYTES[] = {4, 0, 0,   0,   3,   0, 0, 0, 0xe8, 3,
                                    0, 0, 'G', 'N', 'U', 0, 1, 2, 3};
    struct note note = only_note(BYTES, sizeof BYTES);
    assert_int_equal(note.type, NT_CUINFO);
    assert_int_equal(note.content.size, 3);
    assert_false(note_is_vendors(&note));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cuinfo_note_has_the_known_bytes),
        cmocka_unit_test(a_cuinfo_note_reads_back),
        cmocka_unit_test(a_tool_note_is_laid_out_as_observed),
        cmocka_unit_test(a_tool_note_reads_back),
        cmocka_unit_test(sizes_are_whole_words),
        cmocka_unit_test(malformed_tool_notes_are_refused),
        cmocka_unit_test(notes_follow_each_other),
        cmocka_unit_test(a_cut_note_is_left_over),
        cmocka_unit_test(foreign_notes_are_read_but_not_mistaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
