/* Makes the host object that a device link writes: an ELF object for the CPU, which contains the
 * linked device code and registers it with the CUDA runtime. The host's linker links it into the
 * program. */
#ifndef WARPLD_HOSTOBJECT_HOST_OBJECT_WRITER_H
#define WARPLD_HOSTOBJECT_HOST_OBJECT_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "hostobject/pieces.h"

struct host_object_parts {
    unsigned machine;       /* e_machine of the host */
    const char *const *ids; /* module ids of the objects that were linked, all different */
    size_t ids_count;
    const struct pieces *fatbin;
};

/* Whether host objects can be made for the machine. */
bool host_object_is_possible(unsigned machine);

/* Adds the host object to `file`, which must be empty. Equal parts give equal bytes. */
void host_object_make(struct pieces *file, const struct host_object_parts *parts);

#endif
