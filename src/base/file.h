/* Files as the linker uses them: large inputs mapped whole, an output that appears complete or not
 * at all. */
#ifndef WARPLD_BASE_FILE_H
#define WARPLD_BASE_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

struct mapped_file {
    struct bytes bytes; /* data is NULL for an empty file */
    void *mapping;      /* NULL when nothing is mapped */
    uint64_t device;    /* with `inode` which file it is, whatever its path; 0, 0 for no file */
    uint64_t inode;
};

static inline bool file_is_same(const struct mapped_file *a, const struct mapped_file *b)
{
    return a->inode && a->inode == b->inode && a->device == b->device;
}

/* Whether anything has this name, a folder too. */
bool file_exists(const char *path);

/* Maps a file read-only. Returns 0 or an errno value; a directory gives EISDIR, a pipe ESPIPE. */
int file_map(struct mapped_file *file, const char *path);
void file_unmap(struct mapped_file *file);

/* The same, but a small file is read into the arena, which then must outlive the structure. */
int file_load(struct mapped_file *file, const char *path, struct arena *arena);

/* Writes a whole file. A regular file, or a name that does not exist yet, is written beside its
 * resolved path and renamed over it, so that a failure leaves an older file untouched; anything
 * else (a device, a pipe) is written straight. The mode of an older file is kept. Returns 0 or an
 * errno value. */
int file_replace(const char *path, struct bytes contents);

/* The same with contents in several pieces. */
int file_replace_pieces(const char *path, const struct bytes *pieces, size_t count);

/* The same with contents of that size that are made in place: `fill` gets zeroed bytes, those of
 * the new file itself where the system has a way, and says whether it succeeded; else the result is
 * ECANCELED. */
typedef bool file_fill(void *context, uint8_t *bytes);
int file_replace_in_place(const char *path, uint64_t size, file_fill *fill, void *context);

#endif
