/* The host object of a device link; see host_object_writer.h.
 *
 * It has the sections of the object that `nvcc -dlink` makes. Its code was compiled from
 * stub/register_linked.c, which declares the functions and variables in this list:
 *
 *     .text             unregister_linked, register_data, then register_module for each module
 *     .bss              variables of register_data, and module_id_holder for each module
 *     .rodata           module_count
 *     __nv_module_id    module_id for each module; later device links read these ids
 *     .nv_fatbin        the fat binary
 *     .nvFatBinSegment  linked_code: the addresses of the fat binary and of registered_data
 */
#include "hostobject/host_object_writer.h"

#include <string.h>

#include "format/elf.h"
#include "hostobject/host_sections.h"
#include "hostobject/stub_code.h"

/* Number of local and of global symbols of each module. The local symbols of all modules are
 * adjacent, and so are the global ones. */
enum { LOCALS_OF_MODULE = 2, GLOBALS_OF_MODULE = 2 };

struct maker {
    const struct stub_host *host;
    const struct host_object_parts *parts;
    struct host_sections sections;
    uint32_t symbols[STUB_SHARED_COUNT]; /* index in the symbol table of each symbol that all
                                            modules share */
    uint32_t fatbin;                     /* index of the symbol for the fat binary */
    uint32_t first_local, first_global; /* index of the first local and global symbol of module 0 */
    /* Offsets in .bss of registered_data, registered_callbacks, linked_handle and registered_count,
     * and of module_id_holder of module 0. */
    uint64_t data_offset, callbacks_offset, handle_offset, count_offset, holders_offset;
};

bool host_object_is_possible(unsigned machine)
{
    return stub_host_of(machine) != NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Symbols                                                                                       */

static void lay_out_bss(struct maker *maker)
{
    uint64_t count = maker->parts->ids_count, size = 0;
    maker->data_offset = size;
    maker->callbacks_offset = size += 8 * (count + 1);
    maker->handle_offset = size += 8 * count;
    maker->holders_offset = size += 8;
    maker->count_offset = size += 8 * count;
    maker->sections.sizes[HOST_BSS] = size + 4;
}

static const char *symbol_name(struct maker *maker, const char *prefix, size_t module)
{
    return arena_join(maker->sections.arena, prefix, maker->parts->ids[module]);
}

static void add_shared_locals(struct maker *maker)
{
    struct host_sections *sections = &maker->sections;
    uint64_t count = maker->parts->ids_count, unregister_size;
    const struct stub_function *functions = maker->host->functions;
    unregister_size = functions[STUB_FUNCTION_UNREGISTER].code.size;
    const struct {
        enum stub_symbol symbol;
        struct host_symbol is;
    } LOCALS[] = {
        {STUB_UNREGISTER_LINKED, {"unregister_linked", STT_FUNC, HOST_TEXT, 0, 0}},
        {STUB_REGISTER_DATA, {"register_data", STT_FUNC, HOST_TEXT, unregister_size, 0}},
        {STUB_LINKED_CODE, {"linked_code", STT_OBJECT, HOST_SEGMENT, 0, 24}},
        {STUB_MODULE_COUNT, {"module_count", STT_OBJECT, HOST_RODATA, 0, 4}},
        {STUB_REGISTERED_COUNT, {"registered_count", STT_OBJECT, HOST_BSS, maker->count_offset, 4}},
        {STUB_REGISTERED_DATA,
         {"registered_data", STT_OBJECT, HOST_BSS, maker->data_offset, 8 * (count + 1)}},
        {STUB_REGISTERED_CALLBACKS,
         {"registered_callbacks", STT_OBJECT, HOST_BSS, maker->callbacks_offset, 8 * count}},
        {STUB_LINKED_HANDLE, {"linked_handle", STT_OBJECT, HOST_BSS, maker->handle_offset, 8}},
    };
    for (size_t i = 0; i < sizeof LOCALS / sizeof *LOCALS; i++) {
        struct host_symbol symbol = LOCALS[i].is;
        if (symbol.section == HOST_TEXT)
            symbol.size = functions[i].code.size;
        maker->symbols[LOCALS[i].symbol] = host_sections_add_symbol(sections, &symbol);
    }
}

/* The text that precedes the id of a linked module in __nv_module_id, as in nvcc's objects. */
static const char ID_PREFIX[] = "def ";

static void add_module_locals(struct maker *maker, size_t module)
{
    struct host_sections *sections = &maker->sections;
    const char *id = maker->parts->ids[module];
    uint64_t size = sizeof ID_PREFIX - 1 + strlen(id) + 1;
    struct host_symbol text = {symbol_name(maker, "module_id", module), STT_OBJECT, HOST_MODULE_IDS,
                               sections->sizes[HOST_MODULE_IDS], size};
    struct host_symbol holder = {symbol_name(maker, "module_id_holder", module), STT_OBJECT,
                                 HOST_BSS, maker->holders_offset + 8 * module, 8};
    host_sections_add_symbol(sections, &text);
    host_sections_add_symbol(sections, &holder);
    host_sections_add(sections, HOST_MODULE_IDS, ID_PREFIX, sizeof ID_PREFIX - 1);
    host_sections_add(sections, HOST_MODULE_IDS, id, strlen(id) + 1);
}

static void add_runtime_symbols(struct maker *maker)
{
    static const struct {
        enum stub_symbol symbol;
        const char *name;
    } RUNTIME[] = {
        {STUB___CUDAREGISTERFATBINARY, "__cudaRegisterFatBinary"},
        {STUB___CUDAREGISTERFATBINARYEND, "__cudaRegisterFatBinaryEnd"},
        {STUB___CUDAUNREGISTERFATBINARY, "__cudaUnregisterFatBinary"},
        {STUB_ATEXIT, "atexit"},
    };
    for (size_t i = 0; i < sizeof RUNTIME / sizeof *RUNTIME; i++) {
        struct host_symbol symbol = {.name = RUNTIME[i].name, .section = HOST_UNDEFINED};
        maker->symbols[RUNTIME[i].symbol] = host_sections_add_symbol(&maker->sections, &symbol);
    }
}

static void add_module_globals(struct maker *maker, size_t module)
{
    const struct stub_function *functions = maker->host->functions;
    uint64_t size = functions[STUB_FUNCTION_REGISTER_MODULE].code.size;
    uint64_t before = functions[STUB_FUNCTION_UNREGISTER].code.size +
                      functions[STUB_FUNCTION_REGISTER_DATA].code.size;
    struct host_symbol function = {symbol_name(maker, "__cudaRegisterLinkedBinary", module),
                                   STT_FUNC, HOST_TEXT, before + module * size, size};
    struct host_symbol wrapper = {.name = symbol_name(maker, "__fatbinwrap", module),
                                  .section = HOST_UNDEFINED};
    host_sections_add_symbol(&maker->sections, &function);
    host_sections_add_symbol(&maker->sections, &wrapper);
}

static void add_symbols(struct maker *maker)
{
    size_t count = maker->parts->ids_count;
    struct host_sections *sections = &maker->sections;
    struct host_symbol fatbin = {"fatbin", STT_OBJECT, HOST_FATBIN, 0, maker->parts->fatbin->size};
    maker->fatbin = host_sections_add_symbol(sections, &fatbin);
    lay_out_bss(maker);
    add_shared_locals(maker);
    maker->first_local = sections->symbols_count;
    for (size_t i = 0; i < count; i++)
        add_module_locals(maker, i);
    sections->locals_count = sections->symbols_count;
    add_runtime_symbols(maker);
    maker->first_global = sections->symbols_count;
    for (size_t i = 0; i < count; i++)
        add_module_globals(maker, i);
}

static uint32_t symbol_of(const struct maker *maker, enum stub_symbol symbol, size_t module)
{
    uint32_t local = maker->first_local + LOCALS_OF_MODULE * (uint32_t)module;
    switch (symbol) {
    case STUB_MODULE_ID:
        return local;
    case STUB_MODULE_ID_HOLDER:
        return local + 1;
    case STUB___FATBINWRAP_MODULE:
        return maker->first_global + GLOBALS_OF_MODULE * (uint32_t)module + 1;
    default:
        return maker->symbols[symbol];
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Code                                                                                          */

/* Adds the FDE of a function to .eh_frame. The FDE contains: size, distance to the CIE that all
 * functions share, address and size of the function, size 0 of the augmentation data, and
 * instructions. The relocation of the address refers to a local symbol at the start of .text: when
 * making shared libraries, linkers refuse a PC-relative relocation that refers to a global
 * symbol. */
static void add_frame(struct maker *maker, const struct stub_function *function, uint64_t offset)
{
    enum { ADDRESS = 8, FIXED_SIZE = 17 };
    struct host_sections *sections = &maker->sections;
    uint64_t start = sections->sizes[HOST_FRAMES];
    uint8_t fixed[FIXED_SIZE] = {0};
    store_u32(fixed, (uint32_t)(FIXED_SIZE - 4 + function->frame.size));
    store_u32(fixed + 4, (uint32_t)start + 4);
    store_u32(fixed + ADDRESS + 4, (uint32_t)function->code.size);
    host_sections_add(sections, HOST_FRAMES, fixed, sizeof fixed);
    host_sections_add(sections, HOST_FRAMES, function->frame.data, function->frame.size);
    struct host_relocation address = {start + ADDRESS, maker->host->relative_relocation,
                                      maker->symbols[STUB_UNREGISTER_LINKED], (int64_t)offset};
    host_sections_relocate(sections, HOST_FRAMES, address);
}

static void add_function(struct maker *maker, enum stub_function_name name, size_t module)
{
    struct host_sections *sections = &maker->sections;
    const struct stub_function *function = &maker->host->functions[name];
    uint64_t start = sections->sizes[HOST_TEXT];
    host_sections_add(sections, HOST_TEXT, function->code.data, function->code.size);
    for (uint32_t i = 0; i < function->relocations_count; i++) {
        const struct stub_relocation *at = &function->relocations[i];
        struct host_relocation relocation = {start + at->offset, at->type,
                                             symbol_of(maker, at->symbol, module), at->addend};
        host_sections_relocate(sections, HOST_TEXT, relocation);
    }
    add_frame(maker, function, start);
}

static void add_code(struct maker *maker)
{
    struct bytes unwinding = maker->host->unwinding;
    host_sections_add(&maker->sections, HOST_FRAMES, unwinding.data, unwinding.size);
    add_function(maker, STUB_FUNCTION_UNREGISTER, 0);
    add_function(maker, STUB_FUNCTION_REGISTER_DATA, 0);
    for (size_t i = 0; i < maker->parts->ids_count; i++)
        add_function(maker, STUB_FUNCTION_REGISTER_MODULE, i);
}

/* --------------------------------------------------------------------------------------------- */
/* Data                                                                                          */

/* Adds the structure fat_binary that stub/register_linked.c declares. */
static void add_segment(struct maker *maker)
{
    enum { MAGIC = 0x466243b1, VERSION_OF_LINKED_CODE = 2 };
    struct host_sections *sections = &maker->sections;
    uint32_t type = maker->host->absolute_relocation;
    uint8_t segment[24] = {0};
    store_u32(segment, MAGIC);
    store_u32(segment + 4, VERSION_OF_LINKED_CODE);
    host_sections_add(sections, HOST_SEGMENT, segment, sizeof segment);
    host_sections_relocate(sections, HOST_SEGMENT,
                           (struct host_relocation){8, type, maker->fatbin, 0});
    host_sections_relocate(
        sections, HOST_SEGMENT,
        (struct host_relocation){16, type, maker->symbols[STUB_REGISTERED_DATA], 0});
}

static void add_module_count(struct maker *maker)
{
    uint8_t count[4];
    store_u32(count, (uint32_t)maker->parts->ids_count);
    host_sections_add(&maker->sections, HOST_RODATA, count, sizeof count);
}

void host_object_make(struct pieces *file, const struct host_object_parts *parts)
{
    struct maker maker = {.host = stub_host_of(parts->machine), .parts = parts};
    maker.sections.arena = file->arena;
    host_sections_start(&maker.sections);
    add_symbols(&maker);
    add_code(&maker);
    add_segment(&maker);
    add_module_count(&maker);
    host_sections_write(&maker.sections, file, parts->machine, parts->fatbin);
}
