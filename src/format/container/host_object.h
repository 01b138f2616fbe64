/* Host objects: ELF files for the CPU in which nvcc has put device code.
 *
 * Section names and contents were read off objects of nvcc 13.0.88, of ld -r over several of them,
 * and of what nvlink 13.0.88 does when one is missing or patched. Such files come from the host's
 * compiler and can be anything, so nothing is trusted and only what is asked for is read. */
#ifndef WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H
#define WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/* Which kernels, variables and constants the host code refers to: sections .nvHRKI, .nvHRKE, ...
 * of strings. E: external linkage, I: internal. */
enum host_reference {
    HOST_KERNELS_EXTERNAL,
    HOST_KERNELS_INTERNAL,
    HOST_VARIABLES_EXTERNAL,
    HOST_VARIABLES_INTERNAL,
    HOST_CONSTANTS_EXTERNAL,
    HOST_CONSTANTS_INTERNAL,
    HOST_REFERENCE_COUNT,
};

struct host_object {
    uint16_t machine;              /* e_machine of the CPU */
    bool is_relocatable;           /* else a program or shared library */
    bool has_segments;             /* program headers, as what the host's linker has made */
    const char *damage;            /* what of it is not in the file, in words; NULL */
    bool has_device_code;          /* .nvFatBinSegment: nvcc made it, and it holds device code */
    const char *trace;             /* of device code that no section with its name holds; NULL */
    const char *intermediate;      /* whose code for link-time optimisation is all it has; NULL */
    struct bytes relocatable_code; /* __nv_relfatbin: fat binaries to link */
    struct bytes linked_code;      /* .nv_fatbin: fat binaries that need no link */
    struct bytes module_ids; /* __nv_module_id: strings, one "def ID" for each linked object */
    struct bytes references[HOST_REFERENCE_COUNT];
    bool has_references[HOST_REFERENCE_COUNT];
};

/* False when the bytes are no ELF for a CPU, or its sections cannot be read. object->damage says
 * what of it nvlink 13.0.88 refuses in a file: a class, byte order or size of section headers that
 * it does not know, headers or contents of sections outside the file; but not that sections have no
 * names (230 patched objects). x32 has class 32. */
bool host_object_open(struct bytes file, struct host_object *object);

/* Whether the object says which kernels its host code refers to. What nvcc has not made, or holds
 * linked code only, does not: nvlink 13.0.88 believes nothing else (96 combinations of sections,
 * and objects of C++). One of the two sections is enough for it. */
static inline bool host_object_lists_kernels(const struct host_object *object)
{
    return object->has_device_code && object->relocatable_code.size &&
           object->has_references[HOST_KERNELS_EXTERNAL];
}

/* Whether a module id names the object that holds it, not ("def ID") one linked into it. */
static inline bool module_id_is_own(struct bytes id)
{
    return id.size && !memchr(id.data, ' ', (size_t)id.size);
}

/* The next string of a section of strings that end with NUL; false at the end. Takes it off *rest.
 * What stands behind the last NUL is no string. */
bool host_string_next(struct bytes *rest, struct bytes *text);

#endif
