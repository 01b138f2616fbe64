/* A file without a name; see nameless_file.h.
 *
 * A file in memory is tried first. But some sandboxes refuse memfd_create (EPERM), for example with
 * seccomp profiles that list what they permit, and Linux before 3.17 does not have it (ENOSYS). */
#define _GNU_SOURCE /* asprintf, memfd_create, mkostemp, O_TMPFILE */
#include "base/nameless_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Creates a file with a name and removes the name at once, for file systems without unnamed files.
 * Signals to this thread wait meanwhile, so that the name does not remain. */
static int open_and_unlink(const char *folder)
{
    sigset_t all, before;
    char *path;
    if (asprintf(&path, "%s/warpld-XXXXXX", folder) < 0) {
        errno = ENOMEM;
        return -1;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int descriptor = mkostemp(path, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(path);
    return descriptor;
}

int nameless_file_open(const char *label, const char *folder)
{
    int descriptor = memfd_create(label, MFD_CLOEXEC);
    if (!folder || !*folder)
        folder = "/tmp";
#ifdef O_TMPFILE
    if (descriptor < 0)
        descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    return descriptor < 0 ? open_and_unlink(folder) : descriptor;
}
