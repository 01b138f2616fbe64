/* Finds the packages of Python; see python_packages.h.
 *
 * The paths of the client's loaded extension modules always contain site-packages or dist-packages.
 * VIRTUAL_ENV is not used: only activation of a virtual environment sets it, and an environment
 * works without activation. cuda.bindings 12.9 and 13.0 also look for NVIDIA's libraries in the
 * folder nvidia next to their own folder. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "nvjitlink/python_packages.h"

#include <link.h>
#include <string.h>

struct search {
    char *folder;
    size_t size;
};

static int visit(struct dl_phdr_info *object, size_t info_size, void *context)
{
    static const char *const NAMES[] = {"/site-packages/", "/dist-packages/"};
    struct search *search = context;
    (void)info_size;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *found = object->dlpi_name ? strstr(object->dlpi_name, NAMES[i]) : NULL;
        size_t length = found ? (size_t)(found - object->dlpi_name) + strlen(NAMES[i]) - 1 : 0;
        if (!found || length >= search->size)
            continue;
        memcpy(search->folder, object->dlpi_name, length);
        search->folder[length] = '\0';
        return 1;
    }
    return 0;
}

bool find_python_packages(char *folder, size_t size)
{
    return dl_iterate_phdr(visit, &(struct search){folder, size}) != 0;
}
