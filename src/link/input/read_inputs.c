/* Reads the files that were added. If there are many files, reads several at a time, and also opens
 * the files that are plain cubins.
 *
 * Requires: the names of the files. Makes: the bytes of each file and, if there are many, the view
 * of each valid cubin. Reports nothing: files that cannot be read or are damaged are opened again
 * in the order of the inputs, and reported then. */
#include "link/input/read_inputs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/elf_view.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/worker_arenas.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* The number of files in one batch. A worker requests the files of a batch that are not in the page
 * cache together, to wait for the disk only once. This is also the largest number of files that a
 * worker has open. */
enum { BATCH_SIZE = 8 };

/* The state of one thread. The arena holds the views that the thread makes. */
struct reader {
    struct arena *arena;
    jmp_buf exhausted;
    struct input_file **files; /* files of the current batch */
    size_t count;
    int waiting[BATCH_SIZE]; /* for each file: the descriptor from file_load_into, or -1 */
    uint8_t buffer[FILE_SMALL];
};

struct reading {
    link_context *link;
    struct reader *readers;
    atomic_bool is_exhausted;
};

/* --------------------------------------------------------------------------------------------- */
/* One file                                                                                      */

static void note_loaded(struct input_file *file, int error, struct arena *arena)
{
    char reason[128] = "unknown reason";
    if (error == ENOMEM)
        arena_give_up(arena);
    if (error == ESPIPE) /* clearer than "Illegal seek" */
        snprintf(reason, sizeof reason, "It is a pipe, not a file");
    else if (error == ESTALE)
        snprintf(reason, sizeof reason, "It was changed while it was read");
    else if (error && strerror_r(error, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", error);
    file->bytes = file->mapping.bytes;
    file->size = file->bytes.size;
    file->missing = error ? arena_copy_string(arena, reason, strlen(reason)) : NULL;
    file->is_loaded = true;
}

void input_file_load(struct input_file *file, const link_context *link, struct arena *arena)
{
    int error = file_load(&file->mapping, file->name, arena, link_file_access(link));
    note_loaded(file, error, arena);
}

void input_file_read(struct input_file *file, const link_context *link, uint8_t *buffer,
                     struct arena *arena, int *waiting)
{
    int error = file_load_into(&file->mapping, file->name, buffer, link_file_access(link), waiting);
    if (*waiting < 0)
        note_loaded(file, error, arena);
}

void input_file_wait(struct input_file *file, const link_context *link, uint8_t *buffer,
                     struct arena *arena, int waiting)
{
    int error = file_load_waiting(&file->mapping, waiting, buffer, link_file_access(link));
    note_loaded(file, error, arena);
}

/* Reports nothing. A file that breaks a rule is opened again later, and reported then. */
struct elf_view *open_cubin(struct bytes contents, struct arena *arena)
{
    if (elf_identify(contents) != ELF_KIND_DEVICE)
        return NULL;
    struct elf_view *view = ARENA_NEW(arena, struct elf_view);
    return elf_view_open(view, contents, arena, elf_stop_at_problem, NULL) ? view : NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Batches                                                                                       */

static void leave_batch(void *owner)
{
    struct reader *reader = owner;
    longjmp(reader->exhausted, 1);
}

static struct bytes copy_of(struct bytes contents, struct arena *arena)
{
    uint8_t *copy = arena_alloc(arena, contents.size);
    return (struct bytes){memcpy(copy, contents.data, contents.size), contents.size};
}

/* Copies what the link needs of a file in the reader's buffer, so that the next file can use the
 * buffer. If the file is a valid 64-bit cubin, keeps only the view. Otherwise, or if the caller
 * queries the bytes of files (keeps_bytes), copies the whole file, which is then opened again
 * later. */
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

/* Opens the file if it is a cubin. A file that could not be read has no bytes and is not opened. */
static void take_file(const link_context *link, struct reader *reader, struct input_file *file)
{
    if (file->shared)
        return;
    struct elf_view *view = open_cubin(file->bytes, reader->arena);
    if (file->bytes.data == reader->buffer)
        leave_buffer(link, file, view, reader->arena);
    else
        file->view = view;
}

static void read_batch(const link_context *link, struct reader *reader)
{
    struct input_file **files = reader->files;
    for (size_t i = 0; i < reader->count; i++) {
        if (!files[i]->is_loaded)
            input_file_read(files[i], link, reader->buffer, reader->arena, &reader->waiting[i]);
        if (reader->waiting[i] < 0)
            take_file(link, reader, files[i]);
    }
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->waiting[i] < 0)
            continue;
        int waiting = reader->waiting[i];
        reader->waiting[i] = -1; /* input_file_wait closes the descriptor, even if it fails */
        input_file_wait(files[i], link, reader->buffer, reader->arena, waiting);
        take_file(link, reader, files[i]);
    }
}

/* Cleans up when memory runs out, which makes the link fail. */
static void give_up_batch(const struct reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->files[i]->bytes.data == reader->buffer)
            reader->files[i]->bytes = (struct bytes){NULL, 0};
        if (reader->waiting[i] >= 0)
            file_stop_waiting(reader->waiting[i]);
    }
}

static void begin_batch(const link_context *link, struct reader *reader, size_t batch)
{
    size_t first = link->input->files_read + batch * BATCH_SIZE;
    size_t remaining = link->input->files_count - first;
    reader->files = &link->input->files[first];
    reader->count = remaining < BATCH_SIZE ? remaining : BATCH_SIZE;
    for (size_t i = 0; i < BATCH_SIZE; i++)
        reader->waiting[i] = -1;
}

static void read_files(void *context, unsigned worker, size_t batch)
{
    struct reading *reading = context;
    struct reader *reader = &reading->readers[worker];
    begin_batch(reading->link, reader, batch);
    if (setjmp(reader->exhausted)) {
        reading->is_exhausted = true;
        give_up_batch(reader);
        return;
    }
    read_batch(reading->link, reader);
}

/* Limits the memory of all readers together to what is left of the caller's memory_limit. Without
 * memory_limit the readers have no limit, because the default limit depends on the sizes of the
 * inputs, which are not known before they are read. */
static void allow_readers(link_context *link)
{
    size_t limit = link->options.memory_limit, used = link->arena.reserved;
    worker_arenas_allow(link, !limit ? SIZE_MAX : limit > used ? limit - used : 0);
}

static void read_with_readers(link_context *link, unsigned workers)
{
    struct reading reading = {.link = link,
                              .readers = ARENA_ARRAY(&link->arena, struct reader, workers)};
    for (unsigned i = 0; i < workers; i++)
        reading.readers[i].arena = worker_arena(link, i, leave_batch, &reading.readers[i]);
    allow_readers(link);
    size_t count = link->input->files_count - link->input->files_read;
    size_t batches = (count + BATCH_SIZE - 1) / BATCH_SIZE;
    parallel_for(workers, batches, read_files, &reading);
    if (reading.is_exhausted)
        arena_give_up(&link->arena);
}

/* Reads the inputs. If there are many, opens them immediately, to keep only the parts that are
 * needed (elf_view_settle). This saves an eighth of the memory, even on one thread. If there are
 * only a few inputs, pass_open_inputs opens them later, in the link's own memory. */
void read_inputs(link_context *link)
{
    enum { FILES_OF_A_WORKER = LARGE_FROM(100, 1), MANY_FILES = 2 * FILES_OF_A_WORKER };
    size_t unread = link->input->files_count - link->input->files_read;
    if (unread >= MANY_FILES && !link->input->worker_arenas)
        read_with_readers(link, link_workers(link, unread / FILES_OF_A_WORKER));
    for (; link->input->files_read < link->input->files_count; link->input->files_read++)
        if (!link->input->files[link->input->files_read]->is_loaded)
            input_file_load(link->input->files[link->input->files_read], link, &link->arena);
}
