/* Input files, which may be mapped if they are large, and output files, which appear complete or
 * not at all.
 *
 * When memory runs out, the arena jumps, and a resource that only a local variable holds is leaked.
 * So no function that can jump is called while an input is open; a file is mapped into a structure
 * of the caller, who unmaps it at the end. The callback that writes the bytes of an output must not
 * jump either: it allocates with arena_try_alloc, or calls file_sink_abandon before it ends the
 * process. */
#ifndef WARPLD_BASE_FILE_H
#define WARPLD_BASE_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Identifies a file, whatever path leads to it; zeros: no file. */
struct file_identity {
    uint64_t device;
    uint64_t inode;
};

struct mapped_file {
    struct bytes bytes; /* data is NULL for an empty file */
    void *mapping;      /* the memory that file_unmap unmaps: the file or a copy; NULL: none */
    struct file_identity identity;
    int64_t modified; /* time of the last modification, in nanoseconds */
    int64_t changed;  /* time of the last change of the inode, which no program can set */
};

static inline bool file_is_same(const struct mapped_file *a, const struct mapped_file *b)
{
    const struct file_identity *x = &a->identity, *y = &b->identity;
    return x->inode && x->inode == y->inode && x->device == y->device;
}

/* Returns true if a file that was loaded again has not changed. `size` is its size before, in
 * bytes. */
static inline bool file_is_unchanged(const struct mapped_file *before, uint64_t size,
                                     const struct mapped_file *now)
{
    return file_is_same(before, now) && now->bytes.size == size &&
           before->modified == now->modified;
}

/* Sets *identity to that of the file with this path. Returns false if there is no such file. */
bool file_identify(struct file_identity *identity, const char *path);

/* Returns true if a file of any kind, or a folder, has this name. */
bool file_exists(const char *path);

/* Maps a file read-only. Returns 0 or an errno value; a directory gives EISDIR, a pipe ESPIPE, and
 * a file that becomes shorter while it is read ESTALE. */
int file_map(struct mapped_file *file, const char *path);
void file_unmap(struct mapped_file *file);

/* How a large file is loaded. If a mapped file becomes shorter, the system sends SIGBUS when the
 * missing bytes are read. A copied file can change without harm, but the copy takes memory. */
enum file_access { FILE_COPIED, FILE_MAPPED };

/* Like file_map, but reads a small file into the arena. The arena must then outlive the structure.
 * Returns ENOMEM if the arena has no memory. If `arena` is NULL, every file counts as large. */
int file_load(struct mapped_file *file, const char *path, struct arena *arena,
              enum file_access access);

/* Like file_map, but reads a small file into the caller's buffer of FILE_SMALL bytes. If the bytes
 * must be read from the disk first, the function starts the read, sets *waiting to a descriptor and
 * returns. The caller passes the descriptor to file_load_waiting, which waits for the bytes, or to
 * file_stop_waiting. In all other cases *waiting is -1. */
enum { FILE_SMALL = 64 << 10 };
int file_load_into(struct mapped_file *file, const char *path, uint8_t *buffer,
                   enum file_access access, int *waiting);
int file_load_waiting(struct mapped_file *file, int waiting, uint8_t *buffer,
                      enum file_access access);
void file_stop_waiting(int waiting);

/* Reads `size` bytes from a descriptor. Returns 0 or an errno value; ESTALE if there are fewer. */
int file_read_all(int descriptor, uint8_t *buffer, size_t size);

/* Writes all bytes to a descriptor. Returns 0 or an errno value. */
int file_write_all(int descriptor, struct bytes contents);

/* Writes all bytes at an offset of a regular file. Returns 0 or an errno value. */
int file_put_at(int descriptor, uint64_t offset, struct bytes bytes);

/* Waits until the bytes of a file, or the names in a folder, are on the disk. Returns 0 or an errno
 * value. Some file systems cannot wait for folders (fsync(2) documents EINVAL), which is not an
 * error. */
int file_wait_for_disk(int descriptor);

/* Writes a whole file. The bytes of a regular file, or of one that does not exist yet, are written
 * to a temporary file in the folder of its resolved path. This file is then renamed, so that a
 * failure leaves an older file untouched. A file of any other kind (a device, a pipe) is written
 * directly; a path such as /dev/stdout is written through the descriptor that it names, so that `>>
 * file` appends.
 *
 * The temporary file has no name until it is complete (O_TMPFILE), so that nothing remains if the
 * process is killed; where the system does not support that, it has a temporary name. An older
 * file's mode is kept, and its owner and group where the system permits that. Its other hard links
 * keep the old bytes; its access lists and extended attributes are not copied.
 *
 * An older file cannot be replaced if its folder allows no new files, or if the file is a mount
 * point. Then it is overwritten (file_overwrite.h), and its other links name the new bytes.
 *
 * The function does not wait for the disk: a power failure shortly afterwards can lose the old file
 * and the new one. Returns 0 or an errno value. */
int file_replace(const char *path, struct bytes contents);

/* Like file_replace, but if `is_durable` is set, a power failure leaves either the older file or
 * the new one, complete. The bytes are on the disk before the older file is replaced, and the new
 * name is on the disk when the function returns. */
int file_replace_durably(const char *path, struct bytes contents, bool is_durable);

struct file_sink; /* base/file_sink.h */

struct file_replacement {
    bool is_durable; /* see file_replace_durably */
    /* Receives a descriptor of the older file if a large file was replaced, otherwise -1. When the
     * caller closes it, the system deletes the older file, which takes long (87 MB: 20 ms). */
    int older;
};

/* Like file_replace, with contents that `make` writes into the sink. `make` returns true on
 * success; if it returns false, the result is ECANCELED. `make` can be called a second time, with
 * another sink, if the file could not be replaced with the contents from the first call. */
typedef bool file_make(void *context, struct file_sink *sink);
int file_replace_made(const char *path, file_make *make, void *context,
                      struct file_replacement *replacement);

#endif
