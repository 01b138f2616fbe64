/* A folder for the files of another program. It is removed before this program ends. */
#ifndef WARPLD_COMPILE_TEMPORARY_FOLDER_H
#define WARPLD_COMPILE_TEMPORARY_FOLDER_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bytes.h"

struct temporary_folder {
    char *path;  /* from malloc */
    bool exists; /* the folder was created */
    /* The folder, which is opened in advance so that it can be removed when memory has run out. */
    DIR *stream;
    sigset_t held; /* signals that end this program; they are blocked until the folder is removed */
    sigset_t outside;         /* signal mask of the thread before the folder was created */
    const char *const *names; /* names of all files that its subfolders can have, ended by NULL */
};

/* Creates a folder in `parent` (NULL or "" stands for /tmp). Returns 0 or an errno value. After an
 * error `path` is the name that was tried, or NULL if memory has run out. In any case
 * temporary_folder_remove must be called. */
int temporary_folder_create(struct temporary_folder *folder, const char *parent);

/* Creates a subfolder. The names of its files must be in folder->names: if it has other files, it
 * is not removed. Returns 0 or an errno value. */
int temporary_folder_add(const struct temporary_folder *folder, const char *name);

/* Removes the folder with its files, even if memory or descriptors have run out. */
void temporary_folder_remove(struct temporary_folder *folder);

/* Opens a file of the folder for writing; NULL if that is not possible. */
FILE *temporary_folder_open(const char *folder, const char *name);

/* Writes a file of the folder. Returns false if that is not possible. */
bool temporary_folder_write(const char *folder, const char *name, struct bytes contents);

/* Copies a file of the folder, with a NUL after it, into memory from malloc. Returns NULL if the
 * file does not exist or memory has run out. */
char *temporary_folder_read(const char *folder, const char *name, size_t *size);

#endif
