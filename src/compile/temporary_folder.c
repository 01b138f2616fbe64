/* A folder for the files of another program; see temporary_folder.h. */
#define _GNU_SOURCE /* asprintf */
#include "compile/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/copied_string.h"
#include "base/file.h"
#include "compile/process.h"

int temporary_folder_create(struct temporary_folder *folder, const char *parent)
{
    *folder = (struct temporary_folder){.path = NULL};
    process_hold_signals(&folder->held, &folder->outside);
    if (asprintf(&folder->path, "%s/warpld-XXXXXX", parent && *parent ? parent : "/tmp") < 0) {
        folder->path = NULL;
        return ENOMEM;
    }
    folder->exists = mkdtemp(folder->path) != NULL;
    if (!folder->exists)
        return errno;
    folder->stream = opendir(folder->path);
    return folder->stream ? 0 : errno;
}

int temporary_folder_add(const struct temporary_folder *folder, const char *name)
{
    return mkdirat(dirfd(folder->stream), name, 0700) ? errno : 0;
}

/* Removes a subfolder without opening it, because that would take a descriptor and memory. */
static void remove_subfolder(const struct temporary_folder *folder, const char *subfolder)
{
    char path[PATH_MAX];
    for (const char *const *name = folder->names; name && *name; name++) {
        snprintf(path, sizeof path, "%s/%s", subfolder, *name);
        unlinkat(dirfd(folder->stream), path, 0);
    }
    unlinkat(dirfd(folder->stream), subfolder, AT_REMOVEDIR);
}

static void remove_contents(const struct temporary_folder *folder)
{
    rewinddir(folder->stream);
    for (struct dirent *item; (item = readdir(folder->stream));)
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0 &&
            unlinkat(dirfd(folder->stream), item->d_name, 0))
            remove_subfolder(folder, item->d_name);
}

void temporary_folder_remove(struct temporary_folder *folder)
{
    if (folder->stream) {
        remove_contents(folder);
        closedir(folder->stream);
    }
    if (folder->exists)
        rmdir(folder->path);
    pthread_sigmask(SIG_SETMASK, &folder->outside, NULL);
    free(folder->path);
    *folder = (struct temporary_folder){.path = NULL};
}

FILE *temporary_folder_open(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    FILE *file = fopen(path, "wbe");
    free(path);
    return file;
}

bool temporary_folder_write(const char *folder, const char *name, struct bytes contents)
{
    FILE *file = temporary_folder_open(folder, name);
    bool is_written =
        file && fwrite(contents.data, 1, (size_t)contents.size, file) == contents.size;
    return file && !fclose(file) && is_written;
}

char *temporary_folder_read(const char *folder, const char *name, size_t *size)
{
    char *path, *copy = NULL;
    struct mapped_file file;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    if (!file_map(&file, path)) {
        copy = copied_string(file.bytes);
        *size = (size_t)file.bytes.size;
        file_unmap(&file);
    }
    free(path);
    return copy;
}
