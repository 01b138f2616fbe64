/* Host objects: ELF files for the CPU in which nvcc has embedded device code.
 *
 * Section names and contents were read from objects of nvcc 13.0.88 and from outputs of ld -r for
 * several such objects. The meanings were found by removing or patching sections of objects and
 * linking these with nvlink 13.0.88. Such files come from the host's compiler and can contain
 * anything, so no field is trusted and only the sections of interest are read. */
#ifndef WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H
#define WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/* Kernels, variables and constants to which the host code refers. Each of these kinds is a section
 * of strings: .nvHRKE, .nvHRKI, ... The last letter stands for external or internal linkage. */
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
    uint16_t machine;     /* e_machine of the CPU */
    bool is_relocatable;  /* false for a program or shared library */
    bool has_segments;    /* has program headers, as outputs of the host's linker have */
    const char *damage;   /* text that says what is wrong, or NULL */
    bool has_device_code; /* has .nvFatBinSegment: it is from nvcc and has device code */
    const char *trace;    /* text that names a sign of device code that cannot be read, or
                             NULL */
    /* Name of the host compiler ("GCC", "LLVM") if the object has neither device code nor machine
     * code, only code for that compiler's link-time optimisation; otherwise NULL. */
    const char *intermediate;
    struct bytes relocatable_code; /* __nv_relfatbin: fat binaries to link */
    struct bytes linked_code;      /* .nv_fatbin: fat binaries that are linked already */
    struct bytes module_ids; /* __nv_module_id: strings, one "def ID" for each linked object */
    struct bytes references[HOST_REFERENCE_COUNT]; /* contents of the sections */
    bool has_references[HOST_REFERENCE_COUNT];     /* the section exists; it may be empty */
};

/* Returns false if the bytes are not an ELF for a CPU, or if its sections cannot be read.
 * Independently of the result, object->damage says why nvlink 13.0.88 would refuse the file, or is
 * NULL. nvlink refuses an unknown class, byte order or size of section headers. It also refuses
 * program headers, section headers and contents of sections that lie outside the file. It does not
 * refuse missing section names (230 patched objects). Objects of the x32 ABI have the class
 * ELFCLASS32. */
bool host_object_open(struct bytes file, struct host_object *object);

/* Returns true if the object lists the kernels that its host code refers to. Like nvlink 13.0.88
 * (96 combinations of sections, and objects of C++), it trusts only objects of nvcc that have code
 * to link. Of .nvHRKE and .nvHRKI, nvlink requires only the first. */
static inline bool host_object_lists_kernels(const struct host_object *object)
{
    return object->has_device_code && object->relocatable_code.size &&
           object->has_references[HOST_KERNELS_EXTERNAL];
}

/* Returns true if a module id is that of the object itself. The id of an object that was linked
 * into it has the form "def ID". */
static inline bool module_id_is_own(struct bytes id)
{
    return id.size && !memchr(id.data, ' ', (size_t)id.size);
}

/* Reads the next NUL-terminated string of a section and advances *rest; returns false at the end.
 * Bytes after the last NUL are not a string. */
bool host_string_next(struct bytes *rest, struct bytes *text);

#endif
