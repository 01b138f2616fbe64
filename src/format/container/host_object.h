/* Host objects: ELF files for the CPU in which nvcc has embedded device code.
 *
 * The names and contents of the sections were observed in objects of nvcc 13.0.88, and in outputs
 * of ld -r that combine such objects. To find their meanings, sections were removed or patched and
 * the objects linked with nvlink 13.0.88. Compilers for the host write these files, so they can
 * contain anything: the code checks each field and reads only the sections with these names. */
#ifndef WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H
#define WARPLD_FORMAT_CONTAINER_HOST_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/* The kinds of device symbols that host code refers to. For each kind, an object has a section with
 * the names of the symbols. The sections are .nvHRKE and .nvHRKI for kernels, .nvHRDE and .nvHRDI
 * for variables, .nvHRCE and .nvHRCI for constants (E: external linkage, I: internal linkage). */
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
    /* __nv_module_id: NUL-terminated strings. The object's own id is a string "ID". For each other
     * object whose linked code this object contains, there is a string "def ID". */
    struct bytes module_ids;
    struct bytes references[HOST_REFERENCE_COUNT]; /* names of the symbols of each kind */
    bool has_references[HOST_REFERENCE_COUNT];     /* the section exists; it may be empty */
};

/* Returns false if the file is not an ELF file for a CPU, or if its sections cannot be read.
 *
 * In both cases, object->damage is NULL or a text that says why nvlink 13.0.88 refuses the file.
 * nvlink refuses a file if its class, byte order or size of section headers is unknown, or if
 * headers or contents lie outside the file. It accepts a file without section names. This was
 * observed with 230 patched objects. The class can be ELFCLASS32, because objects for the x32 ABI
 * have it. */
bool host_object_open(struct bytes file, struct host_object *object);

/* Returns true if nvlink 13.0.88 treats the object as one that lists the kernels that its host code
 * refers to. nvlink does so if the object was made by nvcc, has fat binaries to link and has the
 * section .nvHRKE; .nvHRKI may be missing (96 combinations of sections, and objects of C++). */
static inline bool host_object_lists_kernels(const struct host_object *object)
{
    return object->has_device_code && object->relocatable_code.size &&
           object->has_references[HOST_KERNELS_EXTERNAL];
}

/* Returns true if a string of host_object.module_ids is the object's own id, not a "def ID". */
static inline bool module_id_is_own(struct bytes id)
{
    return id.size && !memchr(id.data, ' ', (size_t)id.size);
}

/* Reads a NUL-terminated string from the start of *rest and advances *rest beyond the NUL. Returns
 * false if *rest contains no NUL. */
bool host_string_next(struct bytes *rest, struct bytes *text);

#endif
