/* Files as the linker uses them: large inputs mapped whole, an output that appears complete or not
 * at all.
 *
 * An arena without memory jumps, and what only a function on the stack knows is lost. So nothing
 * that can jump is called while a file is open, also not by what makes an output's bytes
 * (arena_try_alloc does not jump), and a file is mapped into a structure of the one that unmaps it
 * at the end.
 */
#ifndef WARPLD_BASE_FILE_H
#define WARPLD_BASE_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Which file it is, whatever its path; zeros for none. */
struct file_identity {
    uint64_t device;
    uint64_t inode;
};

struct mapped_file {
    struct bytes bytes; /* data is NULL for an empty file */
    void *mapping;      /* NULL when nothing is mapped */
    struct file_identity identity;
    int64_t modified; /* when, in nanoseconds */
};

static inline bool file_is_same(const struct mapped_file *a, const struct mapped_file *b)
{
    const struct file_identity *x = &a->identity, *y = &b->identity;
    return x->inode && x->inode == y->inode && x->device == y->device;
}

/* Whether a file that was loaded again is as it was. */
static inline bool file_is_unchanged(const struct mapped_file *before, uint64_t size,
                                     const struct mapped_file *now)
{
    return file_is_same(before, now) && now->bytes.size == size &&
           before->modified == now->modified;
}

/* False when there is no file of that name. */
bool file_identify(struct file_identity *identity, const char *path);

/* Whether anything has this name, a folder too. */
bool file_exists(const char *path);

/* Maps a file read-only. Returns 0 or an errno value; a directory gives EISDIR, a pipe ESPIPE. */
int file_map(struct mapped_file *file, const char *path);
void file_unmap(struct mapped_file *file);

/* The same, but a small file is read into the arena, which then must outlive the structure. ENOMEM
 * when the arena has no memory. */
int file_load(struct mapped_file *file, const char *path, struct arena *arena);

/* The same, but a small file is read into the buffer, which has FILE_SMALL bytes and is the
 * caller's. When the disk has to be waited for, it is asked for the bytes, and *waiting, else -1,
 * receives a descriptor for file_load_waiting, which waits, or file_stop_waiting. */
enum { FILE_SMALL = 64 << 10 };
int file_load_into(struct mapped_file *file, const char *path, uint8_t *buffer, int *waiting);
int file_load_waiting(struct mapped_file *file, int waiting, uint8_t *buffer);
void file_stop_waiting(int waiting);

/* Writes a whole file. A regular file, or a name that does not exist yet, is written beside its
 * resolved path and renamed over it, so that a failure leaves an older file untouched; anything
 * else (a device, a pipe) is written straight. Until it is complete it has no name, so that nothing
 * is left of it when the process is killed before it is renamed; where the system cannot do that
 * (O_TMPFILE) it has one of its own. The mode of an older file is kept, and its owner and group
 * where the system lets them be; its other hard links keep the older bytes, its access lists and
 * extended attributes are lost. Nothing waits for the disk: a power cut soon after can lose the old
 * file and the new one. Returns 0 or an errno value. */
int file_replace(const char *path, struct bytes contents);

/* A file in the making. */
struct file_sink;

/* Bytes for a place in the file; those of no call are zero. Several threads may put at a time, but
 * a stream is written in order by one. What goes wrong is known to the sink. */
void file_sink_put(struct file_sink *sink, uint64_t offset, struct bytes bytes);
bool file_sink_is_stream(const struct file_sink *sink);

/* Makes the whole file fail with an errno value. */
void file_sink_fail(struct file_sink *sink, int error);
bool file_sink_failed(const struct file_sink *sink);

/* file_replace with contents that `make` puts into the sink; it says whether it succeeded, else the
 * result is ECANCELED. *replaced receives -1, or a descriptor of the large file that had the name:
 * it is gone when this is closed, which takes long (87 MB: 20 ms). */
typedef bool file_make(void *context, struct file_sink *sink);
int file_replace_made(const char *path, file_make *make, void *context, int *replaced);

#endif
