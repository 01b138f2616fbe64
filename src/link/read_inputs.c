/* Reads the files that were added and opens those that are plain cubins, many at a time.
 *
 * Requires: names. Makes: bytes, and views of what is sound. Says nothing: what cannot be read or
 * is damaged is looked at again in its turn, and then reported. */
#include <setjmp.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/scale.h"
#include "link/link.h"

/* Views live where their thread has made them. */
struct reader {
    struct arena *arena;
    jmp_buf exhausted;
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
    if (view && elf_tells_64bit(file->bytes) && !link->keeps_bytes) {
        elf_view_settle(view, arena);
        file->view = view;
        file->bytes = (struct bytes){NULL, 0};
    } else {
        file->bytes = copy_of(file->bytes, arena);
    }
}

static void read_file(void *context, unsigned worker, size_t index)
{
    struct reading *reading = context;
    struct reader *reader = &reading->readers[worker];
    struct input_file *const file = reading->link->files[reading->link->files_read + index];
    if (setjmp(reader->exhausted)) {
        reading->is_exhausted = true;
        if (file->bytes.data == reader->buffer)
            file->bytes = (struct bytes){NULL, 0};
        return;
    }
    if (!file->is_loaded)
        input_file_read(file, reader->buffer, reader->arena);
    struct elf_view *view = open_cubin(file->bytes, reader->arena);
    if (file->bytes.data == reader->buffer)
        leave_buffer(reading->link, file, view, reader->arena);
    else
        file->view = view;
}

static void read_on_threads(link_context *link, unsigned workers)
{
    struct reading reading = {.link = link, .readers = ARENA_ARRAY(ARENA, struct reader, workers)};
    link->reader_arenas = ARENA_ARRAY(ARENA, struct arena, workers);
    link->reader_arenas_count = workers;
    for (unsigned i = 0; i < workers; i++) {
        reading.readers[i].arena = &link->reader_arenas[i];
        arena_init(&link->reader_arenas[i], leave_turn, &reading.readers[i]);
    }
    parallel_for(workers, link->files_count - link->files_read, read_file, &reading);
    if (reading.is_exhausted)
        link->arena.out_of_memory(link->arena.owner);
}

/* On one thread inputs are opened in their turn, in the link's own memory. */
void read_inputs(link_context *link)
{
    enum { FILES_OF_A_WORKER = LARGE_FROM(100, 1) };
    size_t unread = link->files_count - link->files_read;
    unsigned workers = link_workers(link, unread / FILES_OF_A_WORKER);
    if (workers > 1 && !link->reader_arenas)
        read_on_threads(link, workers);
    for (; link->files_read < link->files_count; link->files_read++)
        if (!link->files[link->files_read]->is_loaded)
            input_file_map(link->files[link->files_read], ARENA);
}
