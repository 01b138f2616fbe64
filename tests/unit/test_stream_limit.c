/* stream_refusal decides from the start of a stream whether to read further. The command reads a
 * stream in pieces whose sizes depend on the writer. So only a unit test can test each incomplete
 * state of a header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/fatbin.h"
#include "format/container/fatbin_layout.h"
#include "format/elf.h"
#include "format/recognise/file_kind.h"
#include "format/recognise/stream_limit.h"

enum { SIZE = 2 << 20, TABLE = 64, SECTIONS = 3 };

struct stream {
    struct arena arena;
    uint8_t *bytes;
};

static void fail_out_of_memory(void *owner)
{
    (void)owner;
    abort();
}

static int set_up(void **state)
{
    struct stream *stream = calloc(1, sizeof *stream);
    arena_init(&stream->arena, fail_out_of_memory, NULL);
    stream->bytes = calloc(1, SIZE);
    *state = stream;
    return stream->bytes ? 0 : -1;
}

static int tear_down(void **state)
{
    struct stream *stream = *state;
    arena_destroy(&stream->arena);
    free(stream->bytes);
    free(stream);
    return 0;
}

/* Expects that the stream may continue. */
static void expect_more(struct stream *stream)
{
    assert_null(stream_refusal(&stream->arena, (struct bytes){stream->bytes, SIZE}));
}

/* Expects that the stream is refused with the text `refusal`, because its contents have ended. */
static void expect_end(struct stream *stream, const char *refusal)
{
    const char *text = stream_refusal(&stream->arena, (struct bytes){stream->bytes, SIZE});
    assert_non_null(text);
    assert_string_equal(text, refusal);
}

static void put_start(uint8_t *at)
{
    store_u32(at + FATBIN_CONTAINER_MAGIC, FATBIN_MAGIC);
    store_u16(at + FATBIN_CONTAINER_VERSION, FATBIN_VERSION);
}

static void put_container(uint8_t *at, uint16_t header, uint64_t content)
{
    put_start(at);
    store_u16(at + FATBIN_CONTAINER_HEADER_SIZE, header);
    store_u64(at + FATBIN_CONTAINER_CONTENT_SIZE, content);
}

static void fat_binaries(void **state)
{
    struct stream *stream = *state;
    put_container(stream->bytes, FATBIN_CONTAINER_SIZE, 100);
    expect_end(stream, "its contents end at byte 116, but it goes on");
    put_container(stream->bytes + 116, 1, 100);
    expect_end(stream, "its contents end at byte 116, but it goes on");
    put_container(stream->bytes + 116, FATBIN_CONTAINER_SIZE, SIZE);
    expect_more(stream);
    put_container(stream->bytes, FATBIN_CONTAINER_SIZE, SIZE - FATBIN_CONTAINER_SIZE - 8);
    put_start(stream->bytes + SIZE - 8);
    expect_more(stream);
}

static void elf_files(void **state)
{
    struct stream *stream = *state;
    memcpy(stream->bytes, "\177ELF", 4);
    expect_more(stream);
    stream->bytes[EI_CLASS] = ELFCLASS64;
    stream->bytes[EI_DATA] = ELFDATA2LSB;
    expect_more(stream);
    store_u64(stream->bytes + E_SHOFF, TABLE);
    store_u16(stream->bytes + E_SHNUM, SECTIONS);
    expect_end(stream, "its contents end at byte 256, but it goes on");
    store_u16(stream->bytes + E_SHNUM, UINT16_MAX);
    expect_more(stream);
}

/* If e_shnum is 0, sh_size of section 0 is the number of sections. Files with 0xff00 or more
 * sections have this form. */
static void number_of_sections_in_the_first_header(void **state)
{
    struct stream *stream = *state;
    memcpy(stream->bytes, "\177ELF", 4);
    stream->bytes[EI_CLASS] = ELFCLASS64;
    stream->bytes[EI_DATA] = ELFDATA2LSB;
    store_u64(stream->bytes + E_SHOFF, TABLE);
    store_u64(stream->bytes + TABLE + SH_SIZE, SECTIONS);
    expect_end(stream, "its contents end at byte 256, but it goes on");
    store_u64(stream->bytes + TABLE + SH_SIZE, UINT64_MAX);
    expect_more(stream);
}

static void files_that_do_not_state_their_size(void **state)
{
    struct stream *stream = *state;
    memcpy(stream->bytes, LTO_IR_MAGIC, sizeof LTO_IR_MAGIC - 1);
    expect_more(stream);
    assert_null(stream_refusal(&stream->arena, (struct bytes){stream->bytes, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fat_binaries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(elf_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(number_of_sections_in_the_first_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_do_not_state_their_size, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
