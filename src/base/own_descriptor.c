/* Paths of descriptors; see own_descriptor.h. */
#include "base/own_descriptor.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const FOLDERS[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};

static bool is_writable(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

/* Returns the number of a path that consists of one of FOLDERS and a number, and -1 for other
 * paths. */
static int number_in(const char *path)
{
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        size_t size = strlen(FOLDERS[i]);
        const char *digits = path + size;
        if (strncmp(path, FOLDERS[i], size) != 0 || !*digits ||
            digits[strspn(digits, "0123456789")])
            continue;
        long number = strtol(digits, NULL, 10);
        return number <= INT_MAX ? (int)number : -1;
    }
    return -1;
}

int own_descriptor(const char *path)
{
    enum { LINKS = 8 };
    char target[PATH_MAX];
    int number = number_in(path);
    for (int i = 0; number < 0 && i < LINKS; i++) {
        ssize_t size = readlink(path, target, sizeof target - 1);
        if (size < 0)
            break;
        target[size] = '\0';
        path = target;
        number = number_in(path);
    }
    return number >= 0 && is_writable(number) ? number : -1;
}
