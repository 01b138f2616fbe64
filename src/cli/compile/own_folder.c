/* Finds the folder of this program; see own_folder.h. */
#include "cli/compile/own_folder.h"

#include <limits.h>
#include <sys/types.h>
#include <unistd.h>

const char *own_folder(struct arena *arena)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self);
    while (size > 0 && self[size - 1] != '/')
        size--;
    return size > 1 ? arena_copy_string(arena, self, (size_t)size - 1) : NULL;
}
