/* Reads the files that were added and opens those that are plain cubins, many at a time.
 *
 * Requires: names. Makes: bytes, and views of what is sound. Says nothing: what cannot be read or
 * is damaged is looked at again in its turn, and then reported. */
#include "link/input/read_inputs.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/elf_view.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Files of one turn: those that are not in memory are asked for together, so that the disk is
 * waited for once. No worker has more of them open. */
enum { FILES_OF_A_TURN = 8 };

/* Views live where their thread has made them. */
struct reader {
    struct arena *arena;
    jmp_buf exhausted;
    struct input_file **files; /* of this turn */
    size_t count;
    int waiting[FILES_OF_A_TURN]; /* by file, see file_load_into; -1 none */
    uint8_t buffer[FILE_SMALL];
};

struct reading {
    link_context *link;
    struct reader *readers;
    atomic_bool is_exhausted;
};

static void leave_turn(void *owner)
{
    struct reader *reader = owner;
    longjmp(reader->exhausted, 1);
}

static bool refuse(void *context, const struct elf_problem *problem)
{
    (void)context;
    (void)problem;
    return false;
}

/* NULL: it is none, or not sound. */
static struct elf_view *open_cubin(struct bytes contents, struct arena *arena)
{
    if (elf_identify(contents) != ELF_KIND_DEVICE)
        return NULL;
    struct elf_view *view = ARENA_NEW(arena, struct elf_view);
    return elf_view_open(view, contents, arena, refuse, NULL) ? view : NULL;
}

static struct bytes copy_of(struct bytes contents, struct arena *arena)
{
    uint8_t *copy = arena_alloc(arena, contents.size);
    return (struct bytes){memcpy(copy, contents.data, contents.size), contents.size};
}

/* The buffer is for the next file. What is not quite as usual is opened again in its turn. */
static void leave_buffer(const link_context *link, struct input_file *file, struct elf_view *view,
                         struct arena *arena)
{
    if (view && elf_is_marked_64bit(file->bytes) && !link->input->keeps_bytes) {
        elf_view_settle(view, arena);
        file->view = view;
        file->bytes = (struct bytes){NULL, 0};
    } else {
        file->bytes = copy_of(file->bytes, arena);
    }
}

/* The bytes are there, or why not. */
static void take_file(const link_context *link, struct reader *reader, struct input_file *file)
{
    struct elf_view *view = open_cubin(file->bytes, reader->arena);
    if (file->bytes.data == reader->buffer)
        leave_buffer(link, file, view, reader->arena);
    else
        file->view = view;
}

static void read_turn(const link_context *link, struct reader *reader)
{
    struct input_file **files = reader->files;
    for (size_t i = 0; i < reader->count; i++) {
        if (!files[i]->is_loaded)
            input_file_read(files[i], reader->buffer, reader->arena, &reader->waiting[i]);
        if (reader->waiting[i] < 0)
            take_file(link, reader, files[i]);
    }
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->waiting[i] < 0)
            continue;
        int waiting = reader->waiting[i];
        reader->waiting[i] = -1; /* it is closed now, whatever else fails */
        input_file_wait(files[i], reader->buffer, reader->arena, waiting);
        take_file(link, reader, files[i]);
    }
}

/* There was no memory for one of the files: the link fails. */
static void give_up_turn(const struct reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->files[i]->bytes.data == reader->buffer)
            reader->files[i]->bytes = (struct bytes){NULL, 0};
        if (reader->waiting[i] >= 0)
            file_stop_waiting(reader->waiting[i]);
    }
}

static void begin_turn(const link_context *link, struct reader *reader, size_t turn)
{
    size_t first = link->input->files_read + turn * FILES_OF_A_TURN;
    size_t left = link->input->files_count - first;
    reader->files = &link->input->files[first];
    reader->count = left < FILES_OF_A_TURN ? left : FILES_OF_A_TURN;
    for (size_t i = 0; i < FILES_OF_A_TURN; i++)
        reader->waiting[i] = -1;
}

static void read_files(void *context, unsigned worker, size_t turn)
{
    struct reading *reading = context;
    struct reader *reader = &reading->readers[worker];
    begin_turn(reading->link, reader, turn);
    if (setjmp(reader->exhausted)) {
        reading->is_exhausted = true;
        give_up_turn(reader);
        return;
    }
    read_turn(reading->link, reader);
}

static void read_with_readers(link_context *link, unsigned workers)
{
    struct reading reading = {.link = link,
                              .readers = ARENA_ARRAY(&link->arena, struct reader, workers)};
    link->input->reader_arenas = ARENA_ARRAY(&link->arena, struct arena, workers);
    link->input->reader_arenas_count = workers;
    for (unsigned i = 0; i < workers; i++) {
        reading.readers[i].arena = &link->input->reader_arenas[i];
        arena_init(&link->input->reader_arenas[i], leave_turn, &reading.readers[i]);
    }
    size_t count = link->input->files_count - link->input->files_read;
    size_t turns = (count + FILES_OF_A_TURN - 1) / FILES_OF_A_TURN;
    parallel_for(workers, turns, read_files, &reading);
    if (reading.is_exhausted)
        arena_give_up(&link->arena);
}

/* Few inputs are opened in their turn, in the link's own memory. Of many only what the link needs
 * of them is kept, see elf_view_settle: on one thread, too, that saves an eighth of its memory. */
void read_inputs(link_context *link)
{
    enum { FILES_OF_A_WORKER = LARGE_FROM(100, 1), MANY_FILES = 2 * FILES_OF_A_WORKER };
    size_t unread = link->input->files_count - link->input->files_read;
    if (unread >= MANY_FILES && !link->input->reader_arenas)
        read_with_readers(link, link_workers(link, unread / FILES_OF_A_WORKER));
    for (; link->input->files_read < link->input->files_count; link->input->files_read++)
        if (!link->input->files[link->input->files_read]->is_loaded)
            input_file_map(link->input->files[link->input->files_read], &link->arena);
}
