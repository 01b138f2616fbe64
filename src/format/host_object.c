/* Host objects; see host_object.h. */
#include "format/host_object.h"

#include "format/elf.h"
#include "format/section_type.h"

/* Offsets in the headers of a 64-bit ELF of any machine. */
enum {
    E_TYPE = 16,
    E_MACHINE = 18,
    E_SHOFF = 40,
    E_SHENTSIZE = 58,
    E_SHNUM = 60,
    E_SHSTRNDX = 62,
    SH_TYPE = 4,
    SH_OFFSET = 24,
    SH_SIZE = 32,
    SH_LINK = 40,
};

struct section_table {
    struct bytes file;
    struct bytes headers;
    struct bytes names;
    uint64_t count;
};

static const uint8_t *header_at(const struct section_table *table, uint64_t index)
{
    return table->headers.data + index * ELF_SECTION_HEADER_SIZE;
}

static bool section_contents(const struct section_table *table, uint64_t index,
                             struct bytes *contents)
{
    const uint8_t *header = header_at(table, index);
    if (load_u32(header + SH_TYPE) == SHT_NOBITS)
        return false;
    return bytes_part(table->file, load_u64(header + SH_OFFSET), load_u64(header + SH_SIZE),
                      contents);
}

/* More sections than 16 bits count are counted in section 0. */
static bool open_table(struct section_table *table, struct bytes file)
{
    uint64_t start = load_u64(file.data + E_SHOFF);
    uint64_t names = load_u16(file.data + E_SHSTRNDX);
    struct bytes first;
    table->file = file;
    table->count = load_u16(file.data + E_SHNUM);
    if (load_u16(file.data + E_SHENTSIZE) != ELF_SECTION_HEADER_SIZE ||
        !bytes_part(file, start, ELF_SECTION_HEADER_SIZE, &first))
        return false;
    if (!table->count)
        table->count = load_u64(first.data + SH_SIZE);
    if (names == SHN_XINDEX)
        names = load_u32(first.data + SH_LINK);
    return table->count <= file.size / ELF_SECTION_HEADER_SIZE && names < table->count &&
           bytes_part(file, start, table->count * ELF_SECTION_HEADER_SIZE, &table->headers) &&
           section_contents(table, names, &table->names);
}

static bool is_called(const struct section_table *table, uint64_t index, const char *name)
{
    uint32_t offset = load_u32(header_at(table, index));
    size_t size = strlen(name) + 1;
    return bytes_contain(table->names, offset, size) &&
           !memcmp(table->names.data + offset, name, size);
}

/* Of an archive's thousands of sections few are: ".nv..." and "__nv...". */
static bool may_be_ours(const struct section_table *table, uint64_t index)
{
    uint32_t offset = load_u32(header_at(table, index));
    if (!bytes_contain(table->names, offset, 4))
        return false;
    const uint8_t *name = table->names.data + offset;
    return !memcmp(name, ".nv", 3) || !memcmp(name, "__nv", 4);
}

static void read_section(struct host_object *object, const struct section_table *table,
                         uint64_t index)
{
    static const char *const REFERENCES[HOST_REFERENCE_COUNT] = {
        [HOST_KERNELS_EXTERNAL] = ".nvHRKE",   [HOST_KERNELS_INTERNAL] = ".nvHRKI",
        [HOST_VARIABLES_EXTERNAL] = ".nvHRDE", [HOST_VARIABLES_INTERNAL] = ".nvHRDI",
        [HOST_CONSTANTS_EXTERNAL] = ".nvHRCE", [HOST_CONSTANTS_INTERNAL] = ".nvHRCI",
    };
    if (is_called(table, index, ".nvFatBinSegment"))
        object->has_device_code = true;
    else if (is_called(table, index, "__nv_relfatbin"))
        section_contents(table, index, &object->relocatable_code);
    else if (is_called(table, index, ".nv_fatbin"))
        section_contents(table, index, &object->linked_code);
    else if (is_called(table, index, "__nv_module_id"))
        section_contents(table, index, &object->module_ids);
    for (int kind = 0; kind < HOST_REFERENCE_COUNT; kind++)
        if (is_called(table, index, REFERENCES[kind]))
            object->has_references[kind] =
                section_contents(table, index, &object->references[kind]);
}

bool host_object_open(struct bytes file, struct host_object *object)
{
    static const uint8_t IDENT[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
    struct section_table table;
    if (file.size < ELF_HEADER_SIZE || memcmp(file.data, IDENT, sizeof IDENT) != 0 ||
        load_u16(file.data + E_MACHINE) == EM_CUDA || !open_table(&table, file))
        return false;
    *object = (struct host_object){
        .machine = load_u16(file.data + E_MACHINE),
        .is_relocatable = load_u16(file.data + E_TYPE) == ET_REL,
    };
    for (uint64_t i = 1; i < table.count; i++)
        if (may_be_ours(&table, i))
            read_section(object, &table, i);
    return true;
}

bool host_string_next(struct bytes *rest, struct bytes *text)
{
    const uint8_t *end = rest->size ? memchr(rest->data, 0, (size_t)rest->size) : NULL;
    if (!end)
        return false;
    *text = (struct bytes){rest->data, (uint64_t)(end - rest->data)};
    rest->data = end + 1;
    rest->size -= text->size + 1;
    return true;
}
