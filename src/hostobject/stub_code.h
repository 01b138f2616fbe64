/* The machine code that host objects contain, for each host machine. It was compiled from
 * stub/register_linked.c. */
#ifndef WARPLD_HOSTOBJECT_STUB_CODE_H
#define WARPLD_HOSTOBJECT_STUB_CODE_H

#include <stdint.h>

#include "base/bytes.h"

/* The symbols that the code refers to. Their names are those in register_linked.c, in capitals. The
 * symbol table of a host object has the symbols before STUB_SHARED_COUNT once, and the others once
 * for each module. */
enum stub_symbol {
    STUB_UNREGISTER_LINKED,
    STUB_REGISTER_DATA,
    STUB_LINKED_CODE,
    STUB_MODULE_COUNT,
    STUB_REGISTERED_COUNT,
    STUB_REGISTERED_DATA,
    STUB_REGISTERED_CALLBACKS,
    STUB_LINKED_HANDLE,
    STUB___CUDAREGISTERFATBINARY,
    STUB___CUDAREGISTERFATBINARYEND,
    STUB___CUDAUNREGISTERFATBINARY,
    STUB_ATEXIT,
    STUB_SHARED_COUNT,
    STUB_MODULE_ID = STUB_SHARED_COUNT,
    STUB_MODULE_ID_HOLDER,
    STUB___FATBINWRAP_MODULE,
};

struct stub_relocation {
    uint32_t offset; /* offset of the relocation field in the code of the function */
    uint32_t type;   /* relocation type of the host's ELF */
    int32_t addend;
    enum stub_symbol symbol;
};

struct stub_function {
    struct bytes code;
    struct bytes frame; /* call frame instructions for unwinding (DWARF) */
    const struct stub_relocation *relocations;
    uint32_t relocations_count;
};

enum stub_function_name {
    STUB_FUNCTION_UNREGISTER,
    STUB_FUNCTION_REGISTER_DATA,
    STUB_FUNCTION_REGISTER_MODULE,
    STUB_FUNCTION_COUNT,
};

struct stub_host {
    uint16_t machine; /* e_machine */
    /* Relocation type for a 32-bit field that contains the distance from itself to a symbol. */
    uint32_t relative_relocation;
    /* Relocation type for a 64-bit field that contains an absolute address. */
    uint32_t absolute_relocation;
    struct bytes unwinding; /* the CIE in .eh_frame, which all functions share */
    struct stub_function functions[STUB_FUNCTION_COUNT];
};

/* Returns the code for a host with this e_machine, or NULL if there is none. */
const struct stub_host *stub_host_of(unsigned machine);

#endif
