/* Outputs, which appear complete or not at all; see file.h. */
#define _GNU_SOURCE /* renameat2, O_TMPFILE, AT_EMPTY_PATH */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/file_overwrite.h"
#include "base/file_sink.h"
#include "base/nameless_file.h"
#include "base/own_descriptor.h"

/* Space for the file name of a temporary file, without its folder. */
enum { TEMPORARY_NAME_SIZE = 64 };

/* What to write: the callback that writes a file's bytes, and how the file is replaced. */
struct contents {
    file_make *make;
    void *context;
    bool is_durable;
    int *older; /* see struct file_replacement; NULL: the older file is deleted at once */
};

static int make_contents(struct file_sink *sink, const struct contents *contents)
{
    bool succeeded = contents->make(contents->context, sink);
    return sink->error ? sink->error : succeeded ? 0 : ECANCELED;
}

static int write_to_stream(const char *path, const struct contents *contents)
{
    struct file_sink sink = {.descriptor = open(path, O_WRONLY | O_CLOEXEC), .is_stream = true};
    if (sink.descriptor < 0)
        return errno;
    int error = make_contents(&sink, contents);
    if (close(sink.descriptor) && !error)
        error = errno;
    return error;
}

/* Copies the contents of a nameless file over the older file, and closes the older file. */
static int copy_over(int older, int nameless, bool is_durable)
{
    struct stat status;
    void *data = NULL;
    int error = fstat(nameless, &status) ? errno : 0;
    size_t size = error ? 0 : (size_t)status.st_size;
    if (size && (data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, nameless, 0)) == MAP_FAILED)
        error = errno;
    if (error) {
        close(older);
        return error;
    }
    error = file_overwrite(older, (struct bytes){data, size}, is_durable);
    if (size)
        munmap(data, size);
    return error;
}

/* Makes the contents in a nameless file, and copies them over the older file when they are whole.
 */
static int write_over(const char *path, const struct contents *contents)
{
    int older = file_overwrite_open(path);
    if (older < 0)
        return errno;
    struct file_sink sink = {.descriptor = nameless_file_open("warpld-output", NULL)};
    int error = sink.descriptor < 0 ? errno : make_contents(&sink, contents);
    if (error)
        close(older);
    else
        error = copy_over(older, sink.descriptor, contents->is_durable);
    if (sink.descriptor >= 0)
        close(sink.descriptor);
    return error;
}

/* If writes to the descriptor append to a regular file, returns the size of the file, otherwise
 * -1. */
static off_t end_of_file(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
        return -1;
    bool is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
    bool is_at_end = lseek(descriptor, 0, SEEK_CUR) == status.st_size;
    return is_appending || is_at_end ? status.st_size : -1;
}

/* Writes to a file or stream that this process has open, at its present offset. If that fails,
 * bytes that were appended to a file are removed. */
static int write_to_descriptor(int descriptor, const struct contents *contents)
{
    off_t end = end_of_file(descriptor);
    struct file_sink sink = {.descriptor = descriptor, .is_stream = true};
    int error = make_contents(&sink, contents);
    if (!error && end >= 0 && contents->is_durable)
        error = file_wait_for_disk(descriptor);
    if (error && end >= 0 && !ftruncate(descriptor, end))
        lseek(descriptor, end, SEEK_SET);
    return error;
}

/* Exchanges the names of both files and unlinks the older file, which is faster than renaming the
 * temporary file over it. A rename over another file makes ext4 start to write the new file to the
 * disk. This takes 45 ms for 38 MB and 0.2 ms for 10 KB, each a fifth of the link. An exchange of
 * names does not make ext4 start to write. */
static int rename_temporary(const char *temporary, const char *path, const struct stat *older,
                            int *kept)
{
#ifdef RENAME_EXCHANGE
    enum { LEAST_KEPT_SIZE = 1 << 20 };
    if (older && !renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE)) {
        if (kept && older->st_size >= LEAST_KEPT_SIZE)
            *kept = open(temporary, O_PATH | O_CLOEXEC);
        if (!unlink(temporary))
            return 0;
        int error = errno; /* the output has become a folder: exchange the names back */
        renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE);
        return error;
    }
#endif
    (void)older;
    (void)kept;
    return rename(temporary, path) ? errno : 0;
}

/* The file that becomes the output. It is in the folder of the output. */
struct temporary {
    int descriptor;
    char *name; /* malloc'ed */
    size_t folder_size;
    bool is_named;
    bool cannot_be_named; /* the system cannot name a file that was created without a name */
};

#ifdef O_TMPFILE
static int open_nameless(const char *folder)
{
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* Gives the file a name. A call with AT_EMPTY_PATH is tried first, because it takes a third of the
 * time of a call with a path in /proc. But before Linux 6.10 it required CAP_DAC_READ_SEARCH. */
static int name_nameless(int descriptor, const char *name)
{
    char link[64];
    if (!linkat(descriptor, "", AT_FDCWD, name, AT_EMPTY_PATH))
        return 0;
    if (errno == EEXIST)
        return EEXIST;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", descriptor);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}
#else
static int open_nameless(const char *folder)
{
    (void)folder;
    return -1;
}

static int name_nameless(int descriptor, const char *name)
{
    (void)descriptor;
    (void)name;
    return ENOTSUP;
}
#endif

static int create(struct temporary *temporary)
{
    temporary->descriptor = open(temporary->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return temporary->descriptor < 0 ? errno : 0;
}

/* Gives the file an unused temporary name; creates the file if there is none yet. */
static int take_name(struct temporary *temporary)
{
    enum { ATTEMPTS = 100 };
    int error = EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && error == EEXIST; attempt++) {
        snprintf(temporary->name + temporary->folder_size, TEMPORARY_NAME_SIZE,
                 ".warpld.%ld.%d.tmp", (long)getpid(), attempt);
        error = temporary->descriptor < 0 ? create(temporary)
                                          : name_nameless(temporary->descriptor, temporary->name);
    }
    temporary->is_named = !error;
    return error;
}

/* Creates the temporary file in the folder of `path`, which may have any length. A file without a
 * name disappears when the process ends, even if it is killed. */
static int open_temporary(struct temporary *temporary, const char *path, bool may_be_nameless)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    *temporary = (struct temporary){-1, malloc(size + TEMPORARY_NAME_SIZE), size, false, false};
    if (!temporary->name)
        return ENOMEM;
    memcpy(temporary->name, path, size);
    memcpy(temporary->name + size, ".", sizeof ".");
    if (may_be_nameless)
        temporary->descriptor = open_nameless(temporary->name);
    return temporary->descriptor < 0 ? take_name(temporary) : 0;
}

/* Copies owner, group and mode of the older file. Only root can change the owner; other users can
 * change the group to one of their groups. The mode is set last, because a change of owner clears
 * the set-user-ID and set-group-ID bits. The mode is set without the set-user-ID bit if the owner
 * could not be copied, and without the set-group-ID bit if the group could not be copied. */
static int copy_ownership(int descriptor, const struct stat *older)
{
    bool has_owner = !fchown(descriptor, older->st_uid, older->st_gid);
    bool has_group = has_owner || !fchown(descriptor, (uid_t)-1, older->st_gid);
    mode_t cleared = (has_owner ? 0 : S_ISUID) | (has_group ? 0 : S_ISGID);
    return fchmod(descriptor, older->st_mode & 07777 & ~cleared) ? errno : 0;
}

/* Renames the temporary file to `path`. Opens the folder before it renames, so that the older file
 * remains if the folder cannot be opened. */
static int rename_durably(struct temporary *temporary, const char *path, const struct stat *older,
                          const struct contents *contents)
{
    char after_folder = temporary->name[temporary->folder_size];
    temporary->name[temporary->folder_size] = '\0';
    int folder =
        open(temporary->folder_size ? temporary->name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = folder < 0 ? errno : 0;
    temporary->name[temporary->folder_size] = after_folder;
    if (!error)
        error = rename_temporary(temporary->name, path, older, contents->older);
    if (!error)
        error = file_wait_for_disk(folder);
    if (folder >= 0)
        close(folder);
    return error;
}

/* Writes the file, names it, closes it and renames it to `path`; removes it on any failure. */
static int finish_temporary(struct temporary *temporary, const char *path, const struct stat *older,
                            const struct contents *contents)
{
    struct file_sink sink = {
        .descriptor = temporary->descriptor,
        .temporary = temporary->is_named ? temporary->name : NULL,
    };
    int error = make_contents(&sink, contents);
    if (!error && older)
        error = copy_ownership(temporary->descriptor, older);
    if (!error && contents->is_durable)
        error = file_wait_for_disk(temporary->descriptor);
    if (!error && !temporary->is_named) {
        error = take_name(temporary);
        temporary->cannot_be_named = error;
    }
    if (close(temporary->descriptor) && !error)
        error = errno;
    if (!error)
        error = contents->is_durable
                    ? rename_durably(temporary, path, older, contents)
                    : rename_temporary(temporary->name, path, older, contents->older);
    if (error && temporary->is_named)
        unlink(temporary->name);
    return error;
}

/* Replaces the file by a temporary one. Where the file system permits it, the temporary file has no
 * name at first. If it then cannot be named, as on a system without /proc, its contents are lost. A
 * second attempt then writes the contents to a file with a name. */
static int replace_by_temporary(const char *path, const struct stat *older,
                                const struct contents *contents, bool *is_opened)
{
    struct temporary temporary = {.cannot_be_named = true};
    int error = 0;
    for (int attempt = 0; attempt < 2 && temporary.cannot_be_named; attempt++) {
        error = open_temporary(&temporary, path, attempt == 0);
        *is_opened = !error;
        if (!error)
            error = finish_temporary(&temporary, path, older, contents);
        free(temporary.name);
    }
    return error;
}

/* Returns true if the older file is read-only. Such a file is not replaced, although a rename could
 * replace it: nvlink 13.0.88 refuses it, because nvlink writes into the older file. */
static bool is_protected(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) && errno == EACCES;
}

/* Returns true if the older file can only be overwritten. Either its folder allows no new files, so
 * that the temporary file could not be opened. Or the file is a mount point, as when a container is
 * given a single file. */
static bool cannot_be_replaced(int error, bool is_opened)
{
    return is_opened ? error == EBUSY : error == EACCES || error == EPERM || error == EROFS;
}

/* Replaces a regular file, or writes into the older file where it cannot be replaced. */
static int replace_regular(const char *path, const struct stat *older,
                           const struct contents *contents)
{
    if (older && is_protected(path))
        return EACCES;
    bool is_opened = false;
    int error = replace_by_temporary(path, older, contents, &is_opened);
    if (older && cannot_be_replaced(error, is_opened))
        error = write_over(path, contents);
    return error;
}

/* Returns true for a name of a file that another process has open, such as /proc/PID/fd/1: that
 * process expects the bytes in the open file, so the file must not be replaced. */
static bool names_descriptor(const char *path)
{
    static const char PROCESSES[] = "/proc/";
    char target[sizeof PROCESSES];
    ssize_t size = readlink(path, target, sizeof target);
    bool leads_there =
        size >= (ssize_t)sizeof PROCESSES - 1 && !memcmp(target, PROCESSES, sizeof PROCESSES - 1);
    return leads_there || !strncmp(path, PROCESSES, sizeof PROCESSES - 1) ||
           !strncmp(path, "/dev/fd/", strlen("/dev/fd/"));
}

/* The target of a symbolic link, as a path that can be opened from the current folder; malloc'ed.
 * Returns NULL and sets errno on failure. */
static char *read_link(const char *path)
{
    char target[PATH_MAX];
    ssize_t size = readlink(path, target, sizeof target);
    if (size < 0)
        return NULL;
    const char *slash = *target == '/' ? NULL : strrchr(path, '/');
    size_t folder_size = slash ? (size_t)(slash - path) + 1 : 0;
    char *name = malloc(folder_size + (size_t)size + 1);
    if (!name)
        return NULL;
    memcpy(name, path, folder_size);
    memcpy(name + folder_size, target, (size_t)size);
    name[folder_size + (size_t)size] = '\0';
    return name;
}

static bool is_link(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

/* Creates the target of a dangling symbolic link, as nvlink 13.0.88 does. The loop over the links
 * ends, because they form no circle: stat failed with ENOENT, not with ELOOP. */
static int make_target(const char *path, const struct contents *contents)
{
    char *name = read_link(path);
    int error = errno;
    while (name && is_link(name)) {
        char *next = read_link(name);
        error = errno;
        free(name);
        name = next;
    }
    if (name)
        error = replace_regular(name, NULL, contents);
    free(name);
    return error;
}

/* Replaces the file that a symbolic link points to, not the link. */
static int replace_target(const char *path, const struct contents *contents)
{
    struct stat older;
    int descriptor = own_descriptor(path);
    if (descriptor >= 0)
        return write_to_descriptor(descriptor, contents);
    if (stat(path, &older))
        return errno == ENOENT ? make_target(path, contents) : errno;
    if (S_ISDIR(older.st_mode))
        return EISDIR;
    if (!S_ISREG(older.st_mode))
        return write_to_stream(path, contents);
    if (names_descriptor(path))
        return write_over(path, contents);
    char *resolved = realpath(path, NULL);
    if (!resolved)
        return errno;
    int error = replace_regular(resolved, &older, contents);
    free(resolved);
    return error;
}

static int replace(const char *path, const struct contents *contents)
{
    struct stat older;
    if (lstat(path, &older))
        return errno == ENOENT ? replace_regular(path, NULL, contents) : errno;
    return S_ISREG(older.st_mode) ? replace_regular(path, &older, contents)
                                  : replace_target(path, contents);
}

static bool put_whole(void *context, struct file_sink *sink)
{
    const struct bytes *whole = context;
    file_sink_put(sink, 0, *whole);
    return true;
}

int file_replace_durably(const char *path, struct bytes contents, bool is_durable)
{
    return replace(path, &(struct contents){put_whole, &contents, is_durable, NULL});
}

int file_replace(const char *path, struct bytes contents)
{
    return file_replace_durably(path, contents, false);
}

int file_replace_made(const char *path, file_make *make, void *context,
                      struct file_replacement *replacement)
{
    replacement->older = -1;
    return replace(path,
                   &(struct contents){make, context, replacement->is_durable, &replacement->older});
}
